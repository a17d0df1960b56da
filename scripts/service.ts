// npm run service: runs only the chain and the local service, until Ctrl-C, and ends them in order as no tool does. Arguments
// after `--` go to the service; `npm run service -- --help` lists them.
import { debuggerOption } from "./lib/debugger.ts";
import { checkInstalled, launch } from "./lib/launch.ts";
import { startLocalService } from "./lib/local-service.ts";
import { freePort } from "./lib/ports.mjs";
import { say } from "./lib/say.mjs";

await launch(async (children) => {
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    const { helpText } = await import("../service/src/command-line.ts");
    process.stdout.write(`${helpText()}\n`);
    process.exit();
  }
  checkInstalled({ editor: false });
  const ownPort = args.some((arg) => arg.startsWith("--port"));
  const port = ownPort ? undefined : await freePort("CREC_SERVICE_PORT", 8787, "the local service");

  say("Starting the chain and the local service …");
  const ready = await startLocalService(children, { port, args, debug: await debuggerOption() });

  say(`\nThe service runs at ${ready.base_url}: open it in a browser for the start page. Ctrl-C stops it.\n`);
  process.stdout.write(`ready ${JSON.stringify(ready)}\n`);
});
