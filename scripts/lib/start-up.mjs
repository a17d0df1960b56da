// @ts-check
// What `npm start` and `npm run dev` both do first, and when everything runs.
import { freePort } from "./ports.mjs";
import { checkInstalled, checkNode } from "./preconditions.mjs";
import { StartError, say } from "./say.mjs";

/**
 * Checks that everything needed for a start is there.
 *
 * @returns {Promise<{ editorPort: number, servicePort: number }>} 0 means any free port
 * @throws {StartError} when something is missing, or a port is taken
 */
export async function checkStart() {
  checkNode();
  checkInstalled({ editor: true });
  const editorPort = await freePort("PORT", 1880, "the editor");
  const servicePort = await freePort("CREC_SERVICE_PORT", 8787, "the local service");
  if (editorPort === servicePort && editorPort !== 0) {
    throw new StartError(
      `PORT and CREC_SERVICE_PORT are both ${editorPort}: set one of them to another port.`,
    );
  }
  return { editorPort, servicePort };
}

/**
 * Prints all addresses: for people, and in the one line that programs read.
 *
 * @param {string} editorUrl
 * @param {import("./local-service.mjs").Ready} ready
 */
export function tellReady(editorUrl, ready) {
  say(
    `\nOpen ${editorUrl} in a browser. The service has a page at ${ready.base_url}. Press Ctrl-C to stop everything.\n`,
  );
  process.stdout.write(`ready ${JSON.stringify({ editor_url: editorUrl, ...ready })}\n`);
}
