import { wrongLabels, wrongLatinLabels } from '../labels';
import { parse } from '../markdown';
import { faultsIn, GUIDES } from '../pages';

const isChinese = ({ file }: { file: string }) => file.endsWith('zh-CN.md');

test('what a page shows in bold as a label is a label of the nodes or of n8n', () => {
  const pages = GUIDES.filter((page) => !isChinese(page));
  expect(faultsIn(pages, ({ tree }) => wrongLabels(tree))).toEqual({});
});

test('what the Chinese page shows in bold and in English is such a label', () => {
  expect(faultsIn(GUIDES.filter(isChinese), ({ tree }) => wrongLatinLabels(tree))).toEqual({});
});

describe('the check of labels', () => {
  test.each([
    ['Set **Batch Sise** first.', ['Batch Sise']],
    ['Set **Batch size** first.', ['Batch size']],
    ['Choose _Mainland mobile_ there.', ['Mainland mobile']],
    ['**Batch size** is a heading that could be a label.', ['Batch size']],
    ['- **Batch size**: a list.', ['Batch size']],
    ['| a |\n|--|\n| the **Nothing Known** |', ['Nothing Known']],
    ['Choose **Settings → On error**.', ['On error']],
    [
      'Set **Batch Size**, **Retry On Fail**, **Send template SMS** of **SMS Messaging Service**.',
      [],
    ],
    [
      '**Campaigns.** A heading. **It is a sentence in bold letters.** And **one trigger** only.',
      [],
    ],
  ])('finds in %j: %j', (text, wrong) => {
    expect(wrongLabels(parse(text))).toEqual(wrong);
  });

  test('finds in Chinese what is neither Chinese nor a label', () => {
    const text = '设置 **Base URL**，选择 **短信** 和 **Base url**，**Settings → Nodes**。';
    expect(wrongLatinLabels(parse(text))).toEqual(['Base url', 'Nodes']);
  });
});
