// npm start: builds, then runs the chain, the local service and Node-RED until Ctrl-C, all on 127.0.0.1. No tool runs them
// together, and ends them in order.
//
//   PORT               the editor's port (1880)
//   CREC_SERVICE_PORT  the service's port (8787)
//   CREC_DATA_DIR      folder of the flows and the service's data (./data)
//   CREC_RPC_URL       an EVM node to use instead of starting anvil
//
// All other variables that `npm run service -- --help` lists work, too.
import { flowEnvironment } from "./lib/flow-environment.ts";
import { checkStart, launch, tellReady } from "./lib/launch.ts";
import { startLocalService } from "./lib/local-service.ts";
import { startNodeRed } from "./lib/node-red.ts";
import { StartError, say } from "./lib/say.mjs";

await launch(async (children) => {
  const { editorPort, servicePort } = await checkStart();

  say("Building …");
  // Loaded late: they need esbuild. If it is missing, the checks above report that in a better sentence.
  const { buildIfChanged } = await import("./build.ts");
  const { stop } = await import("esbuild");
  try {
    await buildIfChanged({ log: (line) => say(`  ${line}`) });
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    throw new StartError('The build failed for the reasons above: fix them, then run "npm start" again.');
  } finally {
    // Otherwise esbuild's process would run as long as this one.
    await stop();
  }

  say("Starting the chain and the local service …");
  const ready = await startLocalService(children, { port: servicePort, args: ["--local"] });

  say("Starting Node-RED …");
  const editorUrl = await startNodeRed(children, { port: editorPort, env: flowEnvironment(ready) });
  tellReady(editorUrl, ready);
});
