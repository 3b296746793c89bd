import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import type { Gateway } from '../../sandbox/gateway';
import { template } from '../../sandbox/seeds';
import type { WorkflowFile } from '../n8n/client';
import { repository } from '../n8n/paths';

/** The names of the workflows in a folder of the repository. */
const namesIn = (folder: string): string[] =>
  readdirSync(path.join(repository, folder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => path.basename(file, '.json'));

const read = (folder: string, name: string): WorkflowFile =>
  JSON.parse(readFileSync(path.join(repository, folder, `${name}.json`), 'utf8')) as WorkflowFile;

/** The names of the templates, each of which is imported alone. */
export const exampleNames = (): string[] => namesIn('examples');

/** The template of a name. */
export const readExample = (name: string): WorkflowFile => read('examples', name);

/** The names of the workflows of the desk. */
export const deskNames = (): string[] => namesIn('desk/workflows');

/** The workflow of the desk of a name. */
export const readDesk = (name: string): WorkflowFile => read('desk/workflows', name);

/** Adds the template that the desk asks for and the sandbox does not start with: 306. */
export function addTemplates({ state }: Gateway): void {
  state.templates.set(
    306,
    template(306, {
      name: '预约确认',
      content: '${name}您好,您预约的时间是${date}。确认请回复1,取消请回复2。',
      sign_id: 202,
      type: 2,
    }),
  );
}

/** What a user picks in a node of a workflow: values of pickers and other parameters, by node. */
export type Choices = Record<string, Record<string, unknown>>;

/** The workflow with values in the fields that it leaves empty. */
export function withChoices(file: WorkflowFile, choices: Choices): WorkflowFile {
  const unknown = Object.keys(choices).filter((name) => !file.nodes.some((n) => n.name === name));
  if (unknown.length > 0) throw new Error(`"${file.name}" has no node ${unknown.join(', ')}.`);
  const nodes = file.nodes.map((node) => {
    const chosen = choices[node.name];
    if (!chosen) return node;
    const parameters = { ...node.parameters, ...chosen } as typeof node.parameters;
    return { ...node, disabled: false, parameters };
  });
  return { ...file, nodes };
}

type Values = Record<string, string | number | boolean>;

/** The parameters of an Edit Fields node with other values in its fields. */
export function fieldsWith(file: WorkflowFile, name: string, values: Values): INodeParameters {
  const node = file.nodes.find((each) => each.name === name);
  const { assignments = [] } = (node?.parameters.assignments ?? {}) as {
    assignments?: { name: string; value: unknown }[];
  };
  const unknown = Object.keys(values).filter(
    (key) => !assignments.some((each) => each.name === key),
  );
  if (unknown.length > 0) {
    throw new Error(`"${name}" of "${file.name}" has no field ${unknown.join(', ')}.`);
  }
  const changed = assignments.map((each) => ({ ...each, value: values[each.name] ?? each.value }));
  return { assignments: { assignments: changed } } as INodeParameters;
}

/** The workflow with other values in the fields of an Edit Fields node, as a user enters them. */
export function withFields(file: WorkflowFile, name: string, values: Values): WorkflowFile {
  return withChoices(file, { [name]: fieldsWith(file, name, values) });
}

/** The workflow with another text in the parameters of a node. */
export function withText<File extends WorkflowFile>(
  file: File,
  name: string,
  from: string,
  to: string,
): File {
  const nodes = file.nodes.map((node) => {
    if (node.name !== name) return node;
    const parameters = JSON.stringify(node.parameters).replaceAll(from, to);
    return { ...node, parameters: JSON.parse(parameters) as typeof node.parameters };
  });
  return { ...file, nodes };
}

/** The workflow without some of its nodes, and the lines to and from them. */
export function withoutNodes<File extends WorkflowFile>(file: File, ...names: string[]): File {
  const stays = (name: string) => !names.includes(name);
  const connections = Object.entries(file.connections)
    .filter(([name]) => stays(name))
    .map(([name, outputs]) => {
      const kept = Object.entries(outputs).map(([type, lines]) => [
        type,
        lines.map((line) => line?.filter(({ node }) => stays(node)) ?? null),
      ]);
      return [name, Object.fromEntries(kept)];
    });
  return {
    ...file,
    nodes: file.nodes.filter(({ name }) => stays(name)),
    connections: Object.fromEntries(connections),
  };
}

/** A record chosen from a picker. */
export function picked(id: number | string): object {
  return { __rl: true, mode: 'list', value: String(id) };
}

/** What a user chooses in the pickers of a template's send: a shipping notice, with `name`, `order` and `date`. */
export const SHIPPED = { templateId: picked(302), signatureId: picked(202) };

/** The user's own SMS template, which `addOwn` puts into the sandbox. */
export const OWN = { templateId: picked(310), signatureId: picked(202) };

/** What a user enters in a node that sends a mail. */
export const ADDRESS = { fromEmail: 'person@example.com' };

/** Adds the user's own SMS template. */
export function addOwn({ state }: Gateway, text: string): void {
  state.templates.set(310, template(310, { name: '自有模板', content: text, sign_id: 202 }));
}
