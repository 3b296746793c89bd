/** Why a list is not read, and what of it. */
export const NOT_READ_ZH = {
  'The file is empty.': '文件是空的。',
  'The file is no spreadsheet. Open it in Excel, save it as .xlsx, and take that file.':
    '这不是表格文件。请用 Excel 打开，另存为 .xlsx 后再上传。',
  'The workbook has a password. Take it away in Excel, save the workbook, and take that file.':
    '工作簿有密码。请在 Excel 中取消密码，保存后再上传。',
  'The characters of the file cannot be read. Save it in Excel as .xlsx or as “CSV UTF-8”.':
    '无法识别文件的文字编码。请用 Excel 另存为 .xlsx 或“CSV UTF-8”。',
  'Line {line}: a character (�) was lost before. Write it again, and save the file as .xlsx.':
    '第 {line} 行：有文字已损坏（�）。请重新填写，并另存为 .xlsx。',
  'Line {line}: a quotation mark (") is not closed, or only in another line. Take it away.':
    '第 {line} 行：双引号（"）没有成对，或到另一行才成对。请删除多余的双引号。',
  'Line {line} has more cells than the heading. A text with the separator in it needs quotation marks.':
    '第 {line} 行的单元格比标题行多。含有分隔符的文字要加双引号。',
  'No column is named phone, mobile, 手机 or 手机号. Write that above the numbers. The file begins with: {columns}.':
    '没有名为 phone、mobile、手机 或 手机号 的列。请在号码上方加上列名。文件的开头是：{columns}。',
  'No cell below “{column}” that can be seen is a mobile number.':
    '“{column}”列中可见的单元格里没有手机号。',
  'Line {line} is a heading too. Leave one table in the file, with one.':
    '第 {line} 行也是标题行。文件中请只保留一个表格和一个标题行。',
  'Two columns have mobile numbers: {columns}. Leave one of them in the file.':
    '有两列都是手机号：{columns}。请只保留一列。',
  'Two columns are named “{column}”. Rename one, or take it away.':
    '有两列同名：“{column}”。请改名或删除一列。',
  'Several sheets have mobile numbers: {sheets}. Leave one of them in the file.':
    '有多个工作表都有手机号：{sheets}。请只保留一个。',
  'Cell {cell} has a formula without a value. Open the file in Excel, save it, and take that file.':
    '单元格 {cell} 的公式没有计算结果。请用 Excel 打开并保存后再上传。',
  'The cells {cells} are merged, and only the first has the value. Unmerge them in Excel, and fill each.':
    '{cells} 是合并单元格，只有第一格有值。请在 Excel 中取消合并，并填好每一格。',
  'The hidden sheet “{sheet}” is left out.': '隐藏的工作表“{sheet}”未导入。',
  'The hidden {n|column|columns} {columns} {n|is|are} left out.': '隐藏的列 {columns} 未导入。',
  '{hidden} hidden {hidden|row is|rows are} left out.': '{hidden} 行被隐藏或筛选，未导入。',
} as const;

/** A text, and its values. */
export type Told = [keyof typeof NOT_READ_ZH, Record<string, string | number>];

export class NotRead extends Error {
  constructor(
    readonly text: Told[0],
    readonly values: Told[1] = {},
    /** What was left out before. */
    readonly leftOut: Told[] = [],
  ) {
    super(text);
  }
}
