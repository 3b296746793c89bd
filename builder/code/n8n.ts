/** What a Code node sees of n8n, by the names that n8n gives it. */
import type { DateTime } from 'luxon';

/** The fields of an item as nobody has checked them. */
export type Fields = Record<string, unknown>;

export interface Item<Json = Fields> {
  json: Json;
  pairedItem?: number | { item: number };
  /** Files, by the name of their field. */
  binary?: Record<string, object>;
}

/** The items of a node. What their fields are, the caller says: nothing checks it. */
export interface Items {
  /** Of one output, by default the first. */
  all<Json = Fields>(output?: number): Item<Json>[];
  first<Json = Fields>(): Item<Json>;
}

/**
 * The function of a Code node takes what it needs of these, in braces and by their names: n8n reads in the
 * text of the code what to hand over.
 */
export interface N8n {
  $input: Items;
  /** Another node. n8n hands over its items only if its name stands here as a literal, and .all() or the like behind it. */
  $: (node: string) => Items & {
    params: Fields;
    isExecuted: boolean;
    /** The one that the input item of this place came from. */
    itemMatching: <Json = Fields>(index: number) => Item<Json>;
  };
  $now: DateTime;
  $workflow: { id?: string; name: string };
  $execution: { id: string };
  /** What reads the bytes of a file of an item. */
  helpers: { getBinaryDataBuffer: (item: number, file?: object) => Promise<Buffer> };
  DateTime: typeof DateTime;
  /** What n8n keeps of a workflow beside the data tables. Executions started by hand change nothing in it. */
  $getWorkflowStaticData: (type: 'global') => Fields;
}
