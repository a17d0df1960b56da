/**
 * Fields whose content the service defines, inside of others. What is in any other field belongs to the user, such as
 * `service_config` and `metadata`, or is not known to this version: there `null` may mean something.
 */
const DEFINED_BY_SERVICE: ReadonlySet<string> = new Set([
  "transactions",
  "preview_snapshot",
  "abi",
  "inputs",
  "components",
  "initiator",
  "signer",
  "canceller",
]);
/** Deeper than any of these fields goes. What is deeper stays as it is. */
const MAX_DEPTH = 64;

/** A copy of a resource without its fields that are `null`: some versions write it for what is not there. */
export function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  const fields = Object.entries(value).filter(([, content]) => content !== null);
  return Object.fromEntries(
    fields.map(([name, content]) => [
      name,
      DEFINED_BY_SERVICE.has(name) ? withoutNulls(content, depth + 1) : content,
    ]),
  );
}
