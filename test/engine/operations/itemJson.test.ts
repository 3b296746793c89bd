import type { IDataObject } from 'n8n-workflow';
import { itemJson } from '../../../nodes/SmsMessagingService/operations/itemJson';

/** How a record of the service becomes the json of an item: the order of its fields, and `error`. */

test.each([
  [
    'a template',
    ['type', 'status', 'id', 'content', 'remark', 'name'],
    'id,name,content,status,type,remark',
  ],
  ['a lead', ['sign_id', 'url', 'id', 'phone_1', 'sign_name'], 'id,sign_name,url,phone_1,sign_id'],
  [
    'a report',
    ['time', 'status', 'phone_number', 'event', 'time_iso'],
    'event,phone_number,status,time_iso,time',
  ],
  [
    'a reply',
    ['batch_id', 'content', 'mobile', 'phone_number', 'event'],
    'event,phone_number,content,batch_id,mobile',
  ],
  ['a balance', ['code', 'msg', 'balance'], 'balance,code,msg'],
  ['anything else', ['b', 'a', 'c'], 'b,a,c'],
])(
  '%s has the fields that a reader looks for first, then the order of the service',
  (_, names, order) => {
    const record = Object.fromEntries(names.map((name, index) => [name, index]));
    expect(Object.keys(itemJson(record)).join()).toBe(order);
    expect(itemJson(record)).toEqual(record);
  },
);

test('nothing inside a field changes, and no field is lost', () => {
  const report = { unicom: true, name: 'x', id: 1 };
  const record = JSON.parse('{"z":null,"__proto__":{"a":1},"id":7}') as IDataObject;
  const json = itemJson({ ...record, report });
  expect(json.report).toBe(report);
  expect(Object.keys(json.report as IDataObject)).toEqual(['unicom', 'name', 'id']);
  expect(JSON.stringify(itemJson(record))).toBe('{"id":7,"z":null,"__proto__":{"a":1}}');
});

// Guess: error-field
test("a field 'error' is named service_error: n8n would take the item for a failure", () => {
  expect(itemJson({ error: 'no', name: 'x' })).toEqual({ name: 'x', service_error: 'no' });
});
