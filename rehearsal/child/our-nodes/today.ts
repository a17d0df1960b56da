import type { ChildHost } from "../host.ts";

/** An answer for a query that the parent asked today. */
export type Asked = { status: number; data: unknown };

/** Undefined for all that is no query, and where the person did not choose it. */
export async function askedQuery(
  _host: ChildHost,
  _method: string,
  _path: string,
  _body: Record<string, unknown> | undefined,
): Promise<Asked | undefined> {
  return undefined;
}
