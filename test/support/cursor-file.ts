import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReadyInfo } from "../../service/src/index.ts";
import { eventually } from "./eventually.ts";
import type { UserDir } from "./node-red.ts";

/**
 * Waits until a consumer's cursor on disk has reached the end of the service's first channel. It is written at most
 * once a second: what was handed over since may come again after a kill.
 */
export async function cursorStored(userDir: UserDir, consumer: string, ready: ReadyInfo): Promise<void> {
  const file = join(userDir.path, "crec-cursors", `${consumer}.json`);
  const get = async <T>(path: string): Promise<T> => {
    const headers = { Authorization: `Apikey ${ready.api_key}` };
    return (await (await fetch(`${ready.base_url}${path}`, { headers })).json()) as T;
  };
  const { data } = await get<{ data: Array<{ channel_id: string }> }>("/channels");
  type Page = { events: Array<{ headers: { offset: number } }> };
  const { events } = await get<Page>(`/channels/${data[0]?.channel_id}/events?limit=1`);
  const end = events[0]?.headers.offset ?? 0;
  const cursor = async () =>
    (JSON.parse(await readFile(file, "utf8")) as { state: { cursor: number } }).state.cursor;
  await eventually(`a cursor of ${end} in ${file}`, cursor, (seen) => seen >= end);
}
