import type { INode } from 'n8n-workflow';
import { inputError, toNodeError } from '../../../nodes/SmsMessagingService/n8n/errors';

const node = { name: 'SMS' } as INode;

test('a text with the code of a network error stays what it is', () => {
  const text = 'n8n did not start the workflow: connect ECONNREFUSED 127.0.0.1:5432';
  expect(inputError(node, text).message).toBe(text);
  expect(toNodeError(node, new Error('getaddrinfo ENOTFOUND db')).message).toBe(
    'getaddrinfo ENOTFOUND db',
  );
});
