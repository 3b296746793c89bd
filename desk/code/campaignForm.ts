/** The fields of the form, in both languages. */
export const NAME = 'Name of the campaign · 群发名称';
export const TEMPLATE = 'Template · 模板';
export const SIGNATURE = 'Signature · 签名';
