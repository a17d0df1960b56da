// The planted fault: the local service from its source, without the check that refuses the public key.
import { registerHooks } from "node:module";

const GUARD = /^ *if \(!isLocal\) refusePublicKey\(.*\);$/m;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith("/service/src/index.ts")) return loaded;
    const source = String(loaded.source);
    if (!GUARD.test(source)) throw new Error("The guard has another form now: adapt this file.");
    return { ...loaded, source: source.replace(GUARD, "") };
  },
});
