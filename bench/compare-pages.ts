import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Agent } from "undici";
import { median } from "./measured.ts";
import { sized } from "./sized.ts";

/** Events of a page. */
export const PAGE = 200;
const CONNECTIONS = 8;
const ROUNDS = sized(3, 1);

/** Asks a service for the bytes of an answer, by several connections. */
export type Get = (origin: string, path: string) => Promise<Buffer>;

/** The way to a service with its key. `agent` is to be closed. */
export function getter(apiKey: string): { get: Get; agent: Agent } {
  const agent = new Agent({ connections: CONNECTIONS });
  const headers = { authorization: `Apikey ${apiKey}`, "accept-encoding": "identity" };
  const get: Get = async (origin, path) => {
    const { body, statusCode } = await agent.request({ origin, path, method: "GET", headers });
    const answer = Buffer.from(await body.arrayBuffer());
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${answer}`);
    return answer;
  };
  return { get, agent };
}

export type Pages = {
  get: Get;
  /** The base URL of the service. */
  service: string;
  pathOf: (page: number) => string;
  /** Pages that are asked for in a round. */
  requests: number;
  /** Pages that lie ready in the memory of the bare server: the first ones. */
  ready: number;
};

/** Pages a second of the service, and of `node:http` alone with the same bytes in memory. In turns. */
export async function comparePages(asked: Pages): Promise<{ pages: number; bare: number }> {
  const { get, service, pathOf, requests, ready } = asked;
  const texts: string[] = [];
  for (let page = 0; page < ready; page += 1) texts.push((await get(service, pathOf(page))).toString());
  const server = fork(join(import.meta.dirname, "page-server.ts"));
  try {
    server.send(texts);
    const [bareUrl] = (await once(server, "message")) as [string];
    const run = async (ask: (page: number) => Promise<Buffer>) => {
      const start = performance.now();
      let next = 0;
      const work = async () => {
        while (next < requests) await ask(next++);
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, work));
      return (requests / (performance.now() - start)) * 1000;
    };
    const rates = { pages: [] as number[], bare: [] as number[] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      const pages = await run((page) => get(service, pathOf(page)));
      const bare = await run((page) => get(bareUrl, `/bytes/${page % ready}`));
      // The first round warms up.
      if (round === 0) continue;
      rates.pages.push(pages);
      rates.bare.push(bare);
    }
    return { pages: median(rates.pages), bare: median(rates.bare) };
  } finally {
    server.disconnect();
  }
}
