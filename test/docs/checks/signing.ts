import { parse } from '../markdown';
import { FACTS, faultsIn, pageOf } from '../pages';
import { hashingCommands, signaturesOf, vectorsOf, wrongHashes } from '../signing';

test('each line for a shell gives a hash that stands on its page', () => {
  expect(FACTS.flatMap(({ tree }) => hashingCommands(tree))).not.toEqual([]);
  expect(faultsIn(FACTS, wrongHashes)).toEqual({});
});

describe('the tables of request signatures', () => {
  const vectors = FACTS.flatMap(({ tree }) => vectorsOf(tree));

  test('show both algorithms, and each value that a template can have', () => {
    expect([...new Set(vectors.map(({ algorithm }) => algorithm))].sort()).toEqual([
      'hmacSha256',
      'sha256',
    ]);
    const templates = vectors.map(({ template }) => template).join();
    for (const name of Object.keys(vectors[0]?.input ?? {}))
      expect(templates).toContain(`{${name}}`);
  });

  test.each(vectors)('are right: $algorithm of $template', (vector) => {
    expect(signaturesOf(vector)).toEqual([vector.sign, vector.sign]);
  });
});

describe('the check of hashes', () => {
  const OF_A = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';
  const page = (hash: string, ...more: string[]) =>
    pageOf('a.md', ["`printf '%s' 'a' | sha256sum`", `\`${hash}\``, ...more].join('\n\n'));

  test('finds a wrong one, in words and in a block', () => {
    const block = "```sh\ntext='b'\nprintf '%s' \"$text\" | openssl dgst -sha256\n```";
    expect(wrongHashes(page(OF_A))).toEqual([]);
    expect(wrongHashes(page(OF_A.replace('c', 'd')))).toEqual(["printf '%s' 'a' | sha256sum"]);
    expect(wrongHashes(page(OF_A, block))).toHaveLength(1);
  });

  test('runs nothing else', () => {
    const others = ['`curl x | sha256sum`', '`printf \'%s\' "$(date)" | sh`', '```\nrm x\n```'];
    expect(hashingCommands(parse(others.join('\n\n')))).toEqual([]);
  });

  test('finds a signature that another value would have', () => {
    const row = '| HMAC | `{method}\\|{path}` | secret `s`, `POST`, `/a` | `00` |';
    const table = `| Algorithm | Request Signing Template | Values | X-Sign |\n|--|--|--|--|\n${row}`;
    const [vector] = vectorsOf(parse(table));
    if (!vector) throw new TypeError('No vector');
    expect(vector).toMatchObject({ template: '{method}|{path}', sign: '00' });
    // printf '%s' 'POST|/a' | openssl dgst -sha256 -hmac 's'
    expect(signaturesOf(vector)).toEqual(
      Array(2).fill('74775f4f1aeb15d148295c1705002fece666d5e7a4b0f9b20fa3aa7e8a2e0c66'),
    );
  });
});
