// @ts-check
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { HOST } from "./ports.mjs";

/** @type {Record<string, string>} */
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

/**
 * Serves a folder of static pages on this machine, as a plain web server does.
 *
 * @param {string} folder
 * @param {{ base: string, port?: number }} options `base` is the path of the folder, with slashes around it
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function servePages(folder, { base, port = 0 }) {
  const server = createServer(async ({ url = "/" }, response) => {
    const file = await fileOf(new URL(url, "http://localhost").pathname);
    response.setHeader("Content-Type", TYPES[extname(file ?? "")] ?? "text/plain; charset=utf-8");
    if (file === undefined) {
      response.writeHead(404).end("There is no such page.\n");
      return;
    }
    createReadStream(file)
      .on("error", () => response.destroy())
      .pipe(response);
  });
  server.listen(port, HOST);
  await once(server, "listening");
  const { port: taken } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://${HOST}:${taken}${base}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };

  /** @param {string} path */
  async function fileOf(path) {
    if (!path.startsWith(base)) return undefined;
    const file = resolve(folder, `.${sep}${decoded(path.slice(base.length))}`);
    if (file !== resolve(folder) && !file.startsWith(resolve(folder) + sep)) return undefined;
    for (const one of [file, join(file, "index.html"), `${file}.html`]) {
      if ((await stat(one).catch(() => undefined))?.isFile()) return one;
    }
    return undefined;
  }
}

/** @param {string} path */
function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
