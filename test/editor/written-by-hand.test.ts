import should from "should";
import { useEditor } from "../support/editor.ts";
import type { FlowNode } from "../support/node-red.ts";

const CONNECTIONS = { "with-key": {}, itself: { d: true }, "its-tab": { z: "off" } };

/** A flow file that a person or a program wrote leaves settings out. */
describe("the forms of nodes that were written by hand", function () {
  this.timeout(120_000);
  const editor = useEditor();

  const node = (id: string, type: string, settings: object): FlowNode => ({
    ...{ id, type: `crec-${type}`, z: "tab", x: 100, y: 100, wires: [[]] },
    ...settings,
  });
  const flows: FlowNode[] = [
    { id: "tab", type: "tab", label: "by hand" },
    { id: "connection", type: "crec-connection", baseUrl: "https://host.example/v1" },
    { id: "channel", type: "crec-channel", connection: "connection", channel: "any" },
    { id: "signer", type: "crec-signer", name: "of an older version" },
    node("reader", "events-in", { channel: "channel", consumer: "by-hand", commit: "${COMMIT}" }),
    node("api", "api", { connection: "connection", query: "", queryType: "json", version: 7 }),
    { id: "off", type: "tab", label: "disabled", disabled: true },
    ...Object.entries(CONNECTIONS).map(([id, settings]) => ({
      ...{ id, type: "crec-connection", baseUrl: "https://host.example/v1", ...settings },
    })),
    ...[...Object.keys(CONNECTIONS), "gone"].map((id) => node(`uses-${id}`, "account", { connection: id })),
  ];

  before(() => editor().openWith(flows));

  const doneWith = async (id: string) => {
    await (await editor().form(id)).done();
    return (await editor().inPage.stored(id)).values;
  };

  it("show a missing tick as the node reads it, and Done keeps that", async () => {
    const { verify, ackRejected, inputs } = await doneWith("reader");
    should([verify, ackRejected, inputs]).deepEqual([true, false, 0]);
  });

  it("show a missing choice as the default, and do not miss it", async () => {
    const { validationErrors } = await editor().inPage.stored("signer");
    should(validationErrors).not.matchAny(/kind/);
    should((await doneWith("signer")).kind).equal("local");
  });

  it("mark a node whose config node is disabled, by itself or with its tab, or missing", async () => {
    const wrong = async (id: string) => (await editor().inPage.stored(`uses-${id}`)).validationErrors;
    for (const id of ["itself", "its-tab"])
      should(await wrong(id)).deepEqual([
        "Connection: the node that is chosen is disabled, or its tab is. Enable it, or choose another one.",
      ]);
    should(await wrong("gone")).deepEqual(["Connection: missing configuration node"]);
    should(await wrong("with-key")).deepEqual([]);
  });

  it("keep the variable of a choice", async () => {
    const form = await editor().form("reader");
    should(await form.shows("commit")).equal("${COMMIT}");
    await form.done();
    should((await editor().inPage.stored("reader")).values.commit).equal("${COMMIT}");
  });

  it("show empty JSON as the default, which is valid", async () => {
    const { query, version } = await doneWith("api");
    should(query).equal("{}");
    // Of a newer package: that one must not migrate the settings a second time.
    should(version).equal(7);
  });
});
