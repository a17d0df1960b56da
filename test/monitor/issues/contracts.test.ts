import should from "should";
import { placeKey } from "../../../plugins/monitor/issues/answer-cache.ts";
import { contractMissing, exampleAddress } from "../../../plugins/monitor/issues/checks/contracts.ts";
import { isPublic } from "../../../plugins/monitor/public-address.ts";
import { CHANNEL, found, node, PUBLIC, runningChannel, SERVICE, sceneOf, TAB } from "./scene.ts";

const DEMO = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const OWN = "0xAb00000000000000000000000000000000000001";
const LOCAL_NETWORK = "7759470850252068959";

const sceneWith = (
  { address = OWN, chainSelector = "1", baseUrl = SERVICE },
  submit: Record<string, unknown> = {},
) => {
  const contract = { id: "contract", type: "crec-contract", name: "token" };
  const operation = { channel: "channel", source: "form", calls: [{ contract: "contract" }], ...submit };
  return sceneOf({
    nodes: [TAB, ...CHANNEL, contract, node("crec-submit-operation", "submit", operation)],
    running: {
      ...runningChannel(baseUrl),
      contract: { contract: { address, chainSelector, problem: undefined } },
    },
  });
};

describe("the check for contracts without code", () => {
  it("finds one that the service did not find, and nothing before it was asked", async () => {
    const scene = await sceneWith({});
    should(await found(contractMissing, scene)).be.empty();
    scene.answers.contracts.set(placeKey(SERVICE, "1", OWN), false);
    should(await found(contractMissing, scene)).deepEqual([`no-code contract ${OWN}`]);
    scene.answers.contracts.set(placeKey(SERVICE, "1", OWN), true);
    should(await found(contractMissing, scene)).be.empty();
  });
});

describe("the contract of a call in an imported node", () => {
  it("is that of the node's own field, not the one of the flow that was copied", async () => {
    const contracts = ["contract", "original"].map((id) => ({ id, type: "crec-contract" }));
    const copy = {
      ...{ channel: "channel", source: "form", contract1: "contract" },
      calls: [{ kind: "contract", contract: "original", function: "f()", args: [] }],
    };
    const scene = await sceneOf({
      nodes: [TAB, ...CHANNEL, ...contracts, node("crec-submit-operation", "submit", copy)],
      running: {
        ...runningChannel(SERVICE),
        contract: { contract: { address: OWN, chainSelector: "1", problem: undefined } },
        original: { contract: { address: DEMO, chainSelector: "1", problem: undefined } },
      },
    });
    for (const address of [OWN, DEMO]) scene.answers.contracts.set(placeKey(SERVICE, "1", address), false);
    should(await found(contractMissing, scene)).deepEqual([`no-code contract ${OWN}`]);
    should(scene.flows.get("original")).be.undefined();
  });
});

describe("the check for addresses of the examples", () => {
  it("finds a demo contract, and the local network, at a service on the internet", async () => {
    should(await found(exampleAddress, await sceneWith({ address: DEMO, baseUrl: PUBLIC }))).deepEqual([
      "contract contract",
    ]);
    const onLocal = await sceneWith({ chainSelector: LOCAL_NETWORK, baseUrl: PUBLIC });
    should(await found(exampleAddress, onLocal)).deepEqual(["network contract"]);
  });

  it("finds the recipient of an example", async () => {
    const to = "0x0000000000000000000000000000000000000D04";
    const calls = (value: string) => ({ calls: [{ contract: "contract", args: [{ value, type: "str" }] }] });
    const findIn = async (baseUrl: string, value: string) =>
      found(exampleAddress, await sceneWith({ baseUrl }, calls(value)));
    should(await findIn(PUBLIC, to)).deepEqual([`recipient submit ${to}`]);
    should(await findIn("http://127.0.0.1:8787", to)).be.empty();
    should(await findIn(PUBLIC, `0x${"0".repeat(40)}`)).be.empty();
    should(await findIn(PUBLIC, OWN)).be.empty();
  });

  it("finds nothing at a local service", async () => {
    for (const baseUrl of ["http://127.0.0.1:8787", "http://localhost:8787", "http://service:8787"]) {
      const scene = await sceneWith({ address: DEMO, chainSelector: LOCAL_NETWORK, baseUrl });
      should(await found(exampleAddress, scene)).be.empty();
    }
    should(await found(exampleAddress, await sceneWith({ baseUrl: PUBLIC }))).be.empty();
  });

  it("takes only hosts on the internet as public", () => {
    const local = [
      ...["http://localhost", "http://10.1.2.3", "http://192.168.0.9:8787", "http://172.20.0.1"],
      ...["http://[::1]:80", "http://host.docker.internal", "http://crec.prod.svc", "not a url"],
    ];
    should(local.filter(isPublic)).be.empty();
    should(["https://cre-connect.api.chain.link/v1", "https://8.8.8.8/v1"].every(isPublic)).be.true();
  });
});
