import type { NodeAPI } from "node-red";

const PACKAGE = "@crec-nodes/node-red-crec";

/** The same API, with the texts of one of our nodes: a replaced node is not registered by its own file. */
export function withTextsOf(RED: NodeAPI, node: string): NodeAPI {
  const text = (key: string, ...values: unknown[]): string => {
    const translate = RED._ as (key: string, ...values: unknown[]) => string;
    return translate(key.includes(":") ? key : `${PACKAGE}/${node}:${key}`, ...values);
  };
  return Object.create(RED, { _: { value: text } }) as NodeAPI;
}
