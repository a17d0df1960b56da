/**
 * A process that sends given texts from memory with nothing but `node:http`. `GET /bytes/<n>` sends the nth as bytes
 * that lie ready, `GET /text/<n>` as the text it is. They come in one message; the answer to it is the base URL. It
 * ends with its parent.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

process.on("disconnect", () => process.exit());
const [texts] = (await once(process, "message")) as [string[]];
const bytes = texts.map((text) => Buffer.from(text));
const server = createServer((request, response) => {
  const [, form, number] = request.url?.split("/") ?? [];
  const page = (form === "text" ? texts : bytes)[Number(number)] ?? "";
  const length = Buffer.byteLength(page);
  response.writeHead(200, { "content-type": "application/json; charset=utf-8", "content-length": length });
  response.end(page);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
