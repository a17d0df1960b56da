import type { Node, NodeAPI, NodeDef } from "node-red";
import { type FieldReader, fieldReader } from "../../nodes/common/fields/field-reader.ts";
import type { NodeDescription, SettingsOf } from "../../nodes/common/shared/fields.ts";

/** A reader of settings without a Node-RED around it: errors hold the keys of their texts. */
export function readerOf<const N extends NodeDescription>(
  description: N,
  settings: Partial<SettingsOf<N>>,
): FieldReader<N> {
  const RED = {
    _: (key: string, words?: object) => `${key} ${JSON.stringify(words ?? {})}`,
    nodes: { eachNode: () => {} },
  };
  const context = { RED: RED as unknown as NodeAPI, node: {} as Node, t: RED._ };
  return fieldReader(context, description, settings as unknown as NodeDef);
}
