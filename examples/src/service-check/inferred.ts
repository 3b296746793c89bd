/** The operations whose paths the specification does not show. Made by `npm run docs`. */
export const INFERRED = [
  { path: '/openapi/cert/create', operations: 'Qualification: Create' },
  { path: '/openapi/cert/update', operations: 'Qualification: Update' },
  { path: '/openapi/lead/delete', operations: 'Reported Link: Delete' },
  { path: '/openapi/sign/delete', operations: 'Signature: Delete' },
  { path: '/openapi/sign/info', operations: 'Signature: Get, Get Many' },
  { path: '/openapi/sign/update', operations: 'Signature: Update' },
  { path: '/openapi/template/create', operations: 'Template: Create' },
  { path: '/openapi/template/update', operations: 'Template: Update' },
];
