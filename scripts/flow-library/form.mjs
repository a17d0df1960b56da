// @ts-check

const TIMEOUT_MS = 60_000;

/**
 * Sends the form of the flow library with the name of a package.
 *
 * @param {string} name of the package on npm
 * @param {string} library the address of the flow library
 * @returns {Promise<string>} what it answered, in a sentence
 * @throws {Error} when the form is not there, or is refused
 */
export async function refreshFlowLibrary(name, library) {
  const address = new URL("/add/node", library);
  const page = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const token = tokenIn(await page.text());
  if (!page.ok || token === undefined) {
    throw new Error(`The flow library did not show its form: HTTP ${page.status} from ${address}.`);
  }
  const cookie = page.headers
    .getSetCookie()
    .map((one) => one.split(";", 1)[0])
    .join("; ");
  const answer = await fetch(address, {
    method: "POST",
    headers: { cookie, referer: address.href },
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

/** @param {string} html */
function tokenIn(html) {
  const input = /<input\b[^>]*\bname="_csrf"[^>]*>/.exec(html)?.[0] ?? "";
  return /\bvalue="([^"]+)"/.exec(input)?.[1];
}
