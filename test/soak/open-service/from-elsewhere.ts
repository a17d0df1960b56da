import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { DEFAULT_API_KEY, type ReadyInfo } from "../../../service/src/index.ts";

/** Addresses of this machine by which other machines reach it. */
export const OUTSIDE: readonly string[] = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  // Of this link, an address needs the name of the interface.
  .filter(({ internal, address }) => !internal && !address.startsWith("fe80"))
  .map(({ address }) => address);

const DEFAULT = { authorization: `Apikey ${DEFAULT_API_KEY}` };

/** What a running service lets anyone in the network do who knows only what is public: empty where it is safe. */
export async function openTo(ready: ReadyInfo): Promise<string[]> {
  const port = Number(new URL(ready.base_url).port);
  const found: string[] = [];
  for (const address of OUTSIDE) {
    for (const host of [`${address.includes(":") ? `[${address}]` : address}:${port}`, `127.0.0.1:${port}`]) {
      const asked = (path: string, headers = {}) =>
        answerOf({ address, port, path, headers: { ...headers, host } });
      if ((await asked("/channels", DEFAULT))?.status === 200)
        found.push(`${address}: the default key works`);
      for (const path of ["/", "/local/node-red.json", "/local/timeline"]) {
        const answer = await asked(path);
        if (answer?.status === 200) found.push(`${address}: ${path} without a key`);
        if (answer?.body.includes(ready.api_key)) found.push(`${address}: ${path} shows the key`);
      }
    }
    if (await connects(address, Number(new URL(ready.rpc_url).port))) found.push(`${address}: the chain`);
  }
  return [...new Set(found)];
}

/** Whether a key is accepted from elsewhere: so one sees that the questions arrive at all. */
export async function acceptsFromOutside({ base_url }: ReadyInfo, key: string): Promise<boolean> {
  const port = Number(new URL(base_url).port);
  const headers = { authorization: `Apikey ${key}` };
  const answers = OUTSIDE.map((address) => answerOf({ address, port, path: "/channels", headers }));
  return (await Promise.all(answers)).some((answer) => answer?.status === 200);
}

type Question = { address: string; port: number; path: string; headers: Record<string, string> };

/** Undefined where nothing listens. */
async function answerOf({
  address,
  ...rest
}: Question): Promise<{ status: number; body: string } | undefined> {
  const asking = request({ ...rest, hostname: address, agent: false, timeout: 5_000 });
  asking.end();
  try {
    const [answer] = await once(asking, "response");
    return { status: answer.statusCode, body: await text(answer) };
  } catch {
    return undefined;
  }
}

async function connects(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
