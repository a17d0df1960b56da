const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID, in any case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** An id as it is compared and sent: a UUID in lower case. Other ids, such as `org_…` and `offset:…`, keep their case. */
export function canonicalId(id: string): string {
  if (!isUuid(id)) return id;
  const lower = id.toLowerCase();
  // Not a second copy of each of many ids that are remembered.
  return lower === id ? id : lower;
}

/** Whether two ids are the same, however they are written. */
export function isSameId(one: string, other: string): boolean {
  return canonicalId(one) === canonicalId(other);
}

const WORKFLOW_ID = /^[0-9a-f]{64}$/;

/** The id of a workflow as reports and watchers name it: 64 hex digits in lower case. Undefined for any other text. */
export function canonicalWorkflowId(text: string): string | undefined {
  const id = text.trim().toLowerCase().replace(/^0x/, "");
  return WORKFLOW_ID.test(id) ? id : undefined;
}
