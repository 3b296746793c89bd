/** The Code nodes of the small workflows on top of the inbox and the outbox. */
import whatToAnswer from '../../desk/code/conversation-agent/Find what to answer';
import rowsToSend from '../../desk/code/sheet-send/Find the rows to send';
import { items, runCode } from './node';

describe('Find the rows to send', () => {
  const rows = (...all: object[]) => runCode(rowsToSend, items(...all)).map(({ json }) => json);
  const same = (row: object) => rows(row)[0]?.same;

  test('rows without a status are sent, with every other column as a parameter', () => {
    const row = { row_number: 2, phone: 13810000071, name: ' Li Lei', order: 7, status: ' ' };
    expect(rows(row, { ...row, status: 'accepted' }, { phone: '', name: ' ' })).toEqual([
      { ...row, parameters: { name: 'Li Lei', order: '7' }, same: expect.any(String) as unknown },
    ]);
    // The outbox gives it a reason.
    expect(rows({ phone: '', name: 'Has a name' })).toHaveLength(1);
  });

  // The key in the outbox is made of it: two messages that are one must not be paid twice.
  test('one message, in whatever notation, row and order of columns', () => {
    const first = same({ phone: '+86 138 1000 0071', name: 'Li', date: '1', row_number: 2 });
    expect(same({ date: 1, name: 'Li ', phone: '13810000071', row_number: 9, batch_id: '' })).toBe(
      first,
    );
    expect(same({ phone: '13810000071', name: 'Li', date: '2' })).not.toBe(first);
    expect(same({ phone: '13810000072', name: 'Li', date: '1' })).not.toBe(first);
  });

  test('a file with other separators says what is wrong', () => {
    expect(() => rows({ 'phone;name': '1;2' })).toThrow('There is no column "phone"');
    expect(rows()).toEqual([]);
  });
});

describe('Find what to answer', () => {
  const phone_number = '13810000091';
  const at = (second: number) => new Date(1_800_000_000_000 + second * 1000).toISOString();
  const reply = (id: number, content: string, second = id) => ({
    ...{ id, event: 'reply', phone_number, content },
    createdAt: at(second),
  });
  const sent = (key: string, text: string, second: number) => ({
    ...{ key, text, phone_number },
    createdAt: at(second),
  });
  const answer = (
    page: object[],
    stored: object[] = page,
    sends: object[] = [],
    people: object[] = [],
  ) =>
    runCode(whatToAnswer, items(...page), {
      nodes: {
        'Get their replies': items(...stored),
        'Get what was sent to them': items(...sends),
        'Get the taken numbers': items(...people),
      },
    }).map(({ json }) => json);

  test('the page with the newest reply answers all of a burst, the others nothing', () => {
    const [one, two, three] = [reply(1, 'Hello'), reply(2, 'are you'), reply(3, 'open?')];
    const stored = [three, two, one];
    expect(answer([one, two], stored)).toEqual([]);
    expect(answer([three], stored)).toMatchObject([
      { key: 'conversation 3', text: 'Hello\nare you\nopen?', with_person: false },
    ]);
  });

  test('what has its answer is not answered again, and what was said is known', () => {
    const stored = [reply(1, 'Open?'), reply(5, 'And on Sunday?')];
    const sends = [sent('conversation 1', 'Yes', 2)];
    expect(answer([reply(1, 'Open?')], [reply(1, 'Open?')], sends)).toEqual([]);
    expect(answer([reply(5, 'And on Sunday?')], stored, sends)).toMatchObject([
      {
        text: 'And on Sunday?',
        conversation: 'Customer: Open?\nWe: Yes\nCustomer: And on Sunday?',
      },
    ]);
    // A try with a sample has a greater number than any row.
    expect(answer(stored, stored, [sent('conversation 1800000000000', 'Yes', 2)])).toHaveLength(1);
  });

  test.each(['1', ' ２。', 'TD', 'y', '123456', '!', ''])(
    '%j is left to other workflows',
    (word) => {
      expect(answer([reply(1, word)])).toEqual([]);
    },
  );

  test('reports and other numbers are left out, and who has a person is known', () => {
    expect(answer([{ ...reply(1, 'Hello'), event: 'deliveryReport' }])).toEqual([]);
    const old = reply(1, 'human', -3600);
    const [found] = answer([reply(2, 'Hello')], [old, reply(2, 'Hello')], [], [{ phone_number }]);
    expect(found).toMatchObject({ text: 'Hello', with_person: true });
  });
});
