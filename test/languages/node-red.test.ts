import should from "should";
import type { Problem } from "../../nodes/common/shared/form-types.ts";
import { languages } from "../../scripts/lib/locales.ts";
import { harnessFlow, refuse } from "../support/flow-harness.ts";
import { NodeRed, UserDir } from "../support/node-red.ts";
import { apiNode } from "../support/nodes.ts";

/** The first words of the help of ack event. */
const HELP: Readonly<Record<string, RegExp>> = {
  de: /Bestätigt ein Ereignis/,
  ja: /イベント/,
  "zh-CN": /事件/,
  fr: /Acknowledges an event/,
};
const ACK = "@crec-nodes/node-red-crec/ack";
const MONITOR = "@crec-nodes/node-red-crec/monitor";

type Catalogs = Record<
  string,
  { ack?: { label: { action: string } }; monitor?: { panel: { issues: string } } }
>;

/** What an editor in any language gets, and what Node-RED itself says in the language of its settings. */
describe("a Node-RED in German", function () {
  this.timeout(120_000);
  let userDir: UserDir;
  let nodeRed: NodeRed;

  before(async () => {
    userDir = await UserDir.make();
    nodeRed = await NodeRed.start(userDir, {}, { define: ['lang="de"'] });
    const connection = {
      ...{ id: "connection", type: "crec-connection", baseUrl: "http://127.0.0.1:9" },
      credentials: { apiKey: "no service asks for it" },
    };
    await nodeRed.deploy(harnessFlow([connection], [[apiNode(), 1]]));
  });

  after(async () => {
    await nodeRed?.kill();
    await userDir?.remove();
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    nodeRed.fetch(path, { headers: { Accept: "application/json", ...headers } });
  const catalogs = async (path: string) => (await (await get(path)).json()) as Catalogs;

  it("gives each editor its help", async () => {
    for (const [tag, words] of Object.entries(HELP)) {
      const page = await (await get("nodes", { Accept: "text/html", "Accept-Language": tag })).text();
      const [, help = ""] = page.split('data-help-name="crec-ack">');
      should(help.slice(0, help.indexOf("</script>"))).match(words);
    }
  });

  it("gives each editor its labels", async () => {
    const english = await catalogs("nodes/messages?lng=en-US");
    for (const tag of Object.keys(await languages())) {
      const translated = await catalogs(`nodes/messages?lng=${tag}`);
      const label = translated[ACK]?.ack?.label.action;
      should(label).be.a.String().and.not.equal(english[ACK]?.ack?.label.action);
      const { [MONITOR]: monitor } = await catalogs(`plugins/messages?lng=${tag}`);
      should(monitor?.monitor?.panel.issues).be.a.String().and.not.equal("Issues");
    }
  });

  it("reports errors in German, with the same codes", async () => {
    const { error } = await refuse(nodeRed, "api", { payload: "../secrets" });
    should(error?.code).equal("INVALID_FIELD");
    should(error?.message).match(/^"Pfad" kann nicht "..\/secrets" sein\. Ein Pfad beginnt mit \//);
  });

  /** Not one of its catalog: the sentence is written in the code, in English. */
  it("says in German what an error of the code means, before the sentence with its details", async () => {
    const { error } = await refuse(nodeRed, "api", { payload: "/networks" });
    should(error?.code).equal("SERVICE_UNREACHABLE");
    const [, translated, english] = /^([^(]+) \((.+)\)$/s.exec(error?.message ?? "") ?? [];
    should(translated).equal(
      "Der Dienst ist nicht erreichbar. Prüfen Sie Basis-URL, Netz, Firewall und Proxy.",
    );
    should(english).startWith("The service at 127.0.0.1:9 cannot be reached: ");
    await nodeRed.status("api", /^Der Dienst ist nicht erreichbar: /);
    const { text } = (await (await get("crec/diagnostics?format=text")).json()) as { text: string };
    should(text).match(
      /code: SERVICE_UNREACHABLE, text: Der Dienst ist nicht erreichbar\. .* \(The service at /,
    );
  });

  it("answers a form in the language of its editor, and anybody else in German", async () => {
    const ask = (headers: Record<string, string>) =>
      nodeRed.fetch("crec/signer/test/none", {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: "{}",
      });
    const asked = async (headers: Record<string, string>) => {
      const { problem, code } = (await (await ask(headers)).json()) as Problem;
      should(code).equal("TEST_ENDED");
      return problem;
    };
    const english = "This test has ended. Test again.";
    should(await asked({})).equal(`Der Test ist zu Ende. Testen Sie erneut. (${english})`);
    should(await asked({ "Accept-Language": "en-US,en;q=0.9,de;q=0.8" })).equal(english);
    should(await asked({ "Accept-Language": "fr" })).equal(english);
    should(await asked({ "Accept-Language": "zh-CN,en" })).equal(`测试已结束。请重新测试。 (${english})`);
    should(await asked({ "Accept-Language": "de-AT" })).startWith("Der Test ist zu Ende.");
  });

  it("keeps its own words in diagnostics, and what was entered out of them", async () => {
    await refuse(nodeRed, "api", { payload: "../geheimnis-4711" });
    const { text } = (await (await get("crec/diagnostics?format=text")).json()) as { text: string };
    should(text).match(/code: INVALID_FIELD, text: \[…\] kann nicht \[…\] sein. Ein Pfad beginnt mit/u);
    should(text).not.containEql("geheimnis-4711");
  });
});
