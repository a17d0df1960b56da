// npm run release:flow-library [-- --library URL]: tells flows.nodered.org to read the newest version of the package from
// npm, or to list it for the first time. The library has no interface for programs, and no tool does it: this fills in its
// form https://flows.nodered.org/add/node, as a person would. If it fails, do that by hand.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";

const TIMEOUT_MS = 60_000;

const { values } = parseArgs({
  options: { library: { type: "string", default: "https://flows.nodered.org" } },
});
const { name } = await readJson(join(root, "package.json"));
try {
  process.stdout.write(`${await refresh(values.library)}\n`);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${reason}\nOpen ${values.library}/add/node, enter ${name}, and press the button.\n`);
  process.exitCode = 1;
}

/** @returns what it answered, in a sentence. @throws {Error} when the form is not there, or is refused */
async function refresh(library: string): Promise<string> {
  const address = new URL("/add/node", library);
  const page = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const input = /<input\b[^>]*\bname="_csrf"[^>]*>/.exec(await page.text())?.[0] ?? "";
  const token = /\bvalue="([^"]+)"/.exec(input)?.[1];
  if (!page.ok || token === undefined)
    throw new Error(`The flow library did not show its form: HTTP ${page.status} from ${address}.`);
  const cookies = page.headers.getSetCookie().map((one) => one.split(";", 1)[0]);
  const answer = await fetch(address, {
    method: "POST",
    headers: { cookie: cookies.join("; "), referer: address.href },
    body: new URLSearchParams({ _csrf: token, module: name }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = (await answer.text()).trim();
  if (answer.ok) return `The flow library has read ${name}: ${new URL(text, library).href.split("?", 1)[0]}`;
  // It answers so too when it has read the version by itself in the meantime.
  if (answer.status === 400 && /already at latest version/i.test(text))
    return `The flow library has ${name} already.`;
  throw new Error(`The flow library refused ${name}: HTTP ${answer.status}, ${text.slice(0, 200)}`);
}
