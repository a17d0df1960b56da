// @ts-check
// npm start: builds, then runs the chain, the local service and Node-RED until Ctrl-C, all on 127.0.0.1.
//
//   PORT               the editor's port (1880)
//   CREC_SERVICE_PORT  the service's port (8787)
//   CREC_DATA_DIR      where flows and the service's data are kept (./data)
//   CREC_RPC_URL       an EVM node to use instead of starting anvil

import { launch } from "./lib/launch.mjs";
import { startLocalService } from "./lib/local-service.mjs";
import { startNodeRed } from "./lib/node-red.mjs";
import { freePort } from "./lib/ports.mjs";
import { checkInstalled, checkNode } from "./lib/preconditions.mjs";
import { StartError, say } from "./lib/say.mjs";

await launch(async (children) => {
  checkNode();
  checkInstalled({ editor: true });
  const editorPort = await freePort("PORT", 1880, "the editor");
  const servicePort = await freePort("CREC_SERVICE_PORT", 8787, "the local service");
  if (editorPort === servicePort && editorPort !== 0) {
    throw new StartError(
      `PORT and CREC_SERVICE_PORT are both ${editorPort}: set one of them to another port.`,
    );
  }

  say("Building …");
  await buildNodes();

  say("Starting the chain and the local service …");
  const ready = await startLocalService(children, { port: servicePort });

  say("Starting Node-RED …");
  const editorUrl = await startNodeRed(children, { port: editorPort, env: flowEnvironment(ready) });

  say(`\nOpen ${editorUrl} in a browser. Ctrl-C ends everything.\n`);
  process.stdout.write(`ready ${JSON.stringify({ editor_url: editorUrl, ...ready })}\n`);
});

async function buildNodes() {
  // Loaded late: without esbuild it cannot be, and the checks above say so better.
  const { build } = await import("./build.mjs");
  try {
    await build({ log: (/** @type {string} */ line) => say(`  ${line}`) });
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    throw new StartError('The build failed for the reasons above: mend them, then run "npm start" again.');
  }
}

/**
 * What the example flows read from their environment.
 *
 * @param {import("./lib/local-service.mjs").Ready} ready
 */
function flowEnvironment(ready) {
  return {
    CREC_BASE_URL: ready.base_url,
    CREC_GRAPHQL_URL: ready.graphql_url,
    CREC_API_KEY: ready.api_key,
    CREC_ORG_ID: ready.org_id,
    CREC_WORKFLOW_OWNER: ready.workflow_owner,
    CREC_TENANT_ID: ready.cre_tenant_id,
    CREC_VALID_SIGNERS: ready.valid_signers.join(","),
    CREC_MIN_SIGNATURES: String(ready.min_required_signatures),
    CREC_CHAIN_SELECTOR: ready.chain_selector,
    CREC_CHAIN_ID: String(ready.chain_id),
    CREC_TOKEN_ADDRESS: ready.contracts.DemoToken,
    CREC_COUNTER_ADDRESS: ready.contracts.Counter,
    CREC_SENSOR_REGISTRY_ADDRESS: ready.contracts.SensorRegistry,
  };
}
