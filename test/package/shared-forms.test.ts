import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import should from "should";
import { formScript } from "../support/registered-forms.ts";

const file = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

/** The page of an editor, in which scripts run one after the other. */
function page() {
  const registered: string[] = [];
  const nodes = { registerType: (type: string) => registered.push(type) };
  const context = createContext({ RED: { nodes, events: { on: () => undefined } } });
  return { registered, context, run: (script: string): unknown => runInContext(script, context) };
}

describe("the script that all forms share", () => {
  const shared = file("resources/forms.js");
  const form = formScript(file("dist/nodes/ack.html"));
  const [hash = ""] = /(?<=forms\.js\?)\w+/.exec(file("dist/nodes/ack.html")) ?? [];
  const newer = shared.replaceAll(hash, "00000000");

  it("is the one that the forms ask for, and runs once", () => {
    should(hash).match(/^[0-9a-f]{8}$/);
    should(shared).containEql(hash);
    const { run, registered } = page();
    run(shared);
    run("crecForms.isOfTest = true");
    run(shared);
    run(form);
    should(run("crecForms.isOfTest")).be.true();
    should(registered).deepEqual(["crec-ack"]);
  });

  it("is replaced in an open editor when a newer version is installed", () => {
    const { run } = page();
    run(shared);
    run(newer);
    should(run("crecForms.hash")).equal("00000000");
  });

  it("serves forms that Node-RED has read before an update, until it restarts", () => {
    const { run, registered } = page();
    run(newer);
    run(form);
    should(registered).deepEqual(["crec-ack"]);
  });
});
