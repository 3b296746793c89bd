import {
  HAS_POSTGRES,
  startTestDatabase,
  type TestDatabase,
} from '../../test/kit/n8n/testDatabase';
import { MAKE_SCHEMA } from './statements';

/** Tests on a PostgreSQL of their own with the tables of the desk. They are skipped where none is installed. */
export function onPostgres(title: string, tests: (database: TestDatabase) => void): void {
  (HAS_POSTGRES ? describe : describe.skip)(title, () => {
    // It is there when the tests run.
    const database = {} as TestDatabase;
    beforeAll(async () => {
      Object.assign(database, await startTestDatabase());
      await database.run(MAKE_SCHEMA);
    });
    afterAll(() => database.stop());
    tests(database);
  });
}
