import type { Fields, N8n } from '../../../builder/code/n8n';
import type { Offered } from './choices';
import type { Read } from './read-the-table';

/**
 * What is loaded: the recipients, with the template and the signature that were chosen. Nothing if the form was left:
 * after its hour, n8n goes on with what the form got.
 */
export default function asARequest({ $ }: N8n): object[] {
  const chosen = $('Template and signature').first<Fields>().json;
  if (!chosen.template) return [];
  const { templates, signatures } = $('Choices').first<Offered>().json;
  const { campaign, list, isStarted } = $('Read the table').first<Read>().json;
  const { file } = $('Spreadsheet and name').first<{ file?: { filename?: string } }>().json;
  return [
    {
      ...{ campaign, list, isStarted, file: file?.filename },
      template_id: idOf(chosen.template, templates),
      signature_id: idOf(chosen.signature, signatures),
    },
  ];
}

/** What was not offered is no ID, and refused as such. */
const idOf = (option: unknown, ids: Record<string, string>): unknown =>
  ids[String(option)] ?? option ?? '';
