/** The value of a field for a config node while none is chosen: Node-RED's entry that adds one. */
export const ADD_NEW = "_ADD_";

/** Whether a value of such a field names a config node. */
export function isChosen(id: unknown): boolean {
  return Boolean(id) && id !== ADD_NEW;
}
