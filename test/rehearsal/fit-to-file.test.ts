import should from "should";
import { fitToFile } from "../../rehearsal/parent/flows/fit-to-file.ts";
import type { EventFile } from "../../rehearsal/shared/event-file.ts";

const ID = "6f1d1a52-3c0b-4f0e-9a51-0d2f8d0c0001";
const FILE: Pick<EventFile, "channel" | "service" | "verification"> = {
  channel: { id: ID, name: "recorded" },
  service: "http://127.0.0.1:8787",
  verification: { orgId: "org_local", validSigners: ["0x01", "0x02"], minRequiredSignatures: 2 },
};
const channel = (id: string, name: string) => ({ id, type: "crec-channel", channel: name });

describe("flows and a file of events of elsewhere", () => {
  it("take the events as those of the only channel, and say so", () => {
    const { flows, notes } = fitToFile([channel("c", "main")], FILE, {});
    should(flows[0]?.channel).equal(ID);
    should(notes.map(({ node, kind }) => [node, kind])).deepEqual([["c", "not-found"]]);
    should(notes[0]?.text).match(/channel "main"\..*"recorded"/);
  });

  it("stay as they are where the channel is that of the file, or where there are several", () => {
    for (const name of ["recorded", ID.toUpperCase()])
      should(fitToFile([channel("c", name)], FILE, {}).notes).be.empty();
    const several = [channel("c", "main"), channel("d", "other")];
    should(fitToFile(several, FILE, {}).flows).deepEqual(several);
  });

  it("take from the file what variables of a connection do not say, and nothing else", () => {
    const connection = {
      ...{ id: "n", type: "crec-connection", baseUrl: "${URL}", orgId: "org_mine" },
      ...{ validSigners: "${SIGNERS}", minRequiredSignatures: "${LEAST}" },
    };
    const { flows, filled, notes } = fitToFile([connection], FILE, { LEAST: "3" });
    should(flows[0]).containEql({ baseUrl: FILE.service, orgId: "org_mine", validSigners: "0x01\n0x02" });
    should(flows[0]?.minRequiredSignatures).equal("${LEAST}");
    should(filled).deepEqual(["SIGNERS", "URL"]);
    should(notes[0]?.text).endWith("SIGNERS, URL.");
  });

  it("keep what variables say that Node-RED itself has: of the tab, or of all flows", () => {
    const all = { id: "g", type: "global-config", env: [{ name: "SIGNERS", type: "str", value: "0x09" }] };
    const tab = { id: "t", type: "tab", env: [{ name: "NAME", type: "str", value: "recorded" }] };
    const connection = { id: "n", type: "crec-connection", validSigners: "${SIGNERS}" };
    const flows = [all, tab, connection, { ...channel("c", "${NAME}"), z: "t" }];
    should(fitToFile(flows, FILE, {})).deepEqual({ flows, filled: [], notes: [] });
    // What another tab has is not theirs.
    const others = [tab, { ...connection, validSigners: "${NAME}" }, channel("c", "${NAME}")];
    const { filled, notes } = fitToFile(others, FILE, {});
    should(filled).deepEqual(["NAME"]);
    should(notes.map(({ kind }) => kind)).deepEqual(["not-found", "variables"]);
  });
});
