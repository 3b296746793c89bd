import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useService } from '../harness/gateway';

/** Records of services that give them in another way than expected. */

let answerTo: (body: IDataObject) => unknown;

const harness = useService((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += String(chunk)));
  request.on('end', () => {
    response.end(JSON.stringify(answerTo(JSON.parse(text) as IDataObject)));
  });
});

const answerWith = (body: unknown) => {
  answerTo = () => body;
};

const GET_ALL = { resource: 'template', operation: 'getAll', returnAll: true };

/** Scrolls a picker to its end. */
async function scroll(method: string): Promise<unknown[]> {
  const values: unknown[] = [];
  let token: string | undefined;
  for (let calls = 0; calls < 20; calls++) {
    const page = await harness.search(method, '', token);
    values.push(...page.results.map(({ value }) => value));
    token = page.paginationToken as string | undefined;
    if (token === undefined) return values;
  }
  throw new Error('The picker does not end');
}

const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

describe('a picker of records that look different in each answer, such as by signed links', () => {
  /** @param pages how many of these pages of 50 the service has */
  const giveSigned = (pageAt: (page: number) => number) => {
    let links = 0;
    answerTo = ({ page }) => {
      const from = 50 * (pageAt(Number(page)) - 1);
      const ids = idsUpTo(60).slice(from, from + 50);
      const list = ids.map((id) => ({ id: Number(id), certificate_file: `/file?sign=${++links}` }));
      return { code: 0, data: { list } };
    };
  };

  test.each<[string, (page: number) => number, number]>([
    ['ignores the page', () => 1, 50],
    ['begins anew behind the last page', (page) => 1 + ((page + 1) % 2), 60],
    ['repeats the last page', (page) => Math.min(page, 2), 60],
  ])('shows each once and ends, if the service %s', async (_, pageAt, count) => {
    giveSigned(pageAt);
    expect(await scroll('searchQualifications')).toEqual(idsUpTo(count));
  });
});

test.each<[string, INodeParameters, IDataObject]>([
  ['lead', { simplify: true }, { lead_id: 401, url: 'u' }],
  ['qualification', { simplify: true }, { certification_id: 101, company_name: 'c' }],
  ['lead', { output: 'fields', fields: ['url'] }, { lead_id: 401, url: 'u' }],
])('Simplify and Selected Fields keep the ID under its other name: %s %j', async (...given) => {
  const [resource, output, record] = given;
  answerWith({ code: 0, data: { list: [record], total: 1 } });
  const { json } = await harness.execute({ ...GET_ALL, resource, ...output });
  expect(json).toEqual([record]);
});

test('every record of a list is paired with the item that asked for it', async () => {
  answerWith({ code: 0, data: { list: [{ id: 1 }, { id: 2 }], total: 2 } });
  const { output } = await harness.execute(GET_ALL, [{}, {}]);
  expect(output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
    [0, 0, 1, 1].map((item) => ({ item })),
  );
});
