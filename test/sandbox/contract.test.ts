import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { contractOperations, contractSchemas } from './contract';
import { routes } from './routes';

describe('openapi.yaml', () => {
  it('is valid OpenAPI 3.1', () => {
    // jest cannot load the validator, which is an ES module. So the test runs its command.
    const validator = require.resolve('@seriousme/openapi-schema-validator');
    const cli = join(validator, '..', 'bin', 'validate-api-cli.js');
    const args = [cli, join(__dirname, 'openapi.yaml')];
    const output = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({ valid: true });
  });

  it('has the same paths as the gateway', () => {
    const paths = contractOperations().map(({ path }) => path);
    expect(paths.sort()).toEqual([...routes.keys()].sort());
  });

  it('requires every field of a record: the specification calls none of them optional', () => {
    const records = Object.values(contractSchemas()).filter(({ title }) => title);
    expect(records).not.toEqual([]);
    for (const { title, required = [], properties = {} } of records) {
      expect([title, ...required].sort()).toEqual([title, ...Object.keys(properties)].sort());
    }
  });
});
