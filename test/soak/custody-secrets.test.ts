import { fileURLToPath } from "node:url";
import should from "should";
import { STORED_PASSWORD } from "../../nodes/common/shared/variables.ts";
import { CrecClient } from "../../src/index.ts";
import { atOnce } from "../faults/at-once.ts";
import type { Borrowed } from "../support/borrowed-node-red.ts";
import { eventually } from "../support/eventually.ts";
import type { Message } from "../support/flow-harness.ts";
import { custodySigner } from "../support/key-services.ts";
import { freshId } from "../support/node-red.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { submitNode, walletNode } from "../support/operation-nodes.ts";
import { everything, leaksIn, sizeOf } from "./secrets/everything.ts";
import { FORMS, type Form, Search } from "./secrets/forms.ts";
import { CANARIES, type Cell, isHonest, makeCells } from "./secrets/hostile-answers.ts";

const SETTINGS = fileURLToPath(new URL("./secrets/settings.cjs", import.meta.url));
const TOKEN = "monitoring-token-of-a-test";
/** Node-RED runs eight tests of signers at a time. */
const TESTS_AT_ONCE = 6;
/** Where the node that leaks puts a secret, and where it is found. */
const PLACES = {
  log: "log",
  status: "the messages to the editor",
  context: "context/flow/harness-tab",
  file: "leaked.txt",
} as const;

describe("the secrets of signers with keys in Fireblocks and Privy", function () {
  this.timeout(900_000);

  let harness: OperationHarness;
  let cells: Cell[];
  let search: Search;
  /** What the forms were answered. */
  const answered: string[] = [];

  before(async () => {
    const env = { CREC_MONITORING_TOKEN: TOKEN };
    [harness, cells] = await Promise.all([OperationHarness.start(env, { settings: SETTINGS }), makeCells()]);
    const { fireblocksKey = "" } = cells[0]?.service.secrets ?? {};
    const authorization = cells.flatMap(({ service }) => service.secrets.privyAuthorizationKey ?? []);
    search = new Search({ ...CANARIES, fireblocksKey, privyAuthorizationKey: authorization[0] ?? "" });
    const { chain_selector, base_url, api_key } = harness.service.ready;
    const client = new CrecClient({ baseUrl: base_url, apiKey: api_key });
    const signers = cells.filter(isHonest).map(({ service }) => service.key.address);
    const { wallet_id } = await client.wallets.create({
      ...{ name: "custody", chain_selector, wallet_type: "ecdsa", wallet_owner_address: signers[0] ?? "" },
      allowed_ecdsa_signers: signers,
    });
    const { address } = await client.wallets.waitFor(wallet_id, { target: "deployed" });
    await client.close();
    await harness.deploy(
      [
        ...cells.map(({ id }): [ReturnType<typeof submitNode>, number] => [
          submitNode({ ...{ id: `submit-${id}`, wallet: `wallet-${id}` }, ...CALL }),
          2,
        ]),
        [{ id: "leaking", type: "leaking" }, 1],
      ],
      cells.flatMap(({ id, service }) => [
        custodySigner(service, { id }),
        walletNode(harness.service.ready, { id: `wallet-${id}`, wallet: address, signer: id }),
      ]),
    );
  });
  after(async () => {
    await harness?.close();
    await Promise.all((cells ?? []).map((cell) => cell.close()));
  });

  const CALL = {
    ...{ calls: [{ kind: "raw", to: { value: RECEIVER, type: "str" }, data: { value: "", type: "str" } }] },
    ...{ waitFor: "accepted", follow: false, timeout: "20", deadline: "15" },
  };
  const post = async (path: string, body: object = {}): Promise<Record<string, unknown>> => {
    const headers = { "content-type": "application/json" };
    const answer = await harness.nodeRed.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    answered.push(`${path} ${text}`);
    return JSON.parse(text);
  };
  const written = async () => {
    const borrowed: Borrowed = { ...harness, giveBack: async () => undefined };
    const { id = "" } = cells[0] ?? {};
    const nodes = [id, "leaking", "harness-tab"];
    const all = await everything(borrowed, { token: TOKEN, nodes, secretTypes: ["crec-signer"] });
    return { ...all, "answers to forms": answered.join("\n") };
  };

  const outcomes = new Map<string, number>();
  let tests = 0;

  const submit = async (cell: Cell, form: Form) => {
    cell.turn(form);
    const probe = freshId();
    await harness.nodeRed.press(`press-submit-${cell.id}`, { probe });
    const { name, value } = await harness.nodeRed.shows(
      (one) => /^(error|submit-.*)/.test(one.name) && (one.value as Message).probe === probe,
    );
    const code = name === "error" ? String((value as Message).error?.code) : "sent";
    outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
    if (isHonest(cell)) should(name).not.equal("error", JSON.stringify(value));
  };

  /** The button of the form. */
  const test = async (cell: Cell, form: Form) => {
    const { service, id } = cell;
    const stored = Object.fromEntries(Object.keys(service.secrets).map((name) => [name, STORED_PASSWORD]));
    const fields = { id, kind: service.kind, ...service.settings, ...stored };
    cell.turn(form);
    await post("crec/signer/address", fields);
    cell.turn(form);
    const started = await post("crec/signer/test", fields);
    tests += 1;
    if (typeof started.test !== "string") return;
    await eventually(
      "the end of the test",
      async () => (await post(`crec/signer/test/${started.test}`)).done,
      {
        pauseMs: 200,
      },
    );
  };

  it("are in nothing that Node-RED writes or shows, whatever the key services answer", async () => {
    for (const [round, form] of FORMS.entries()) {
      await Promise.all(cells.map((cell) => submit(cell, form)));
      // Each cell meets the button in some of the rounds.
      const tested = cells.filter((_, index) => (index + round) % 4 === 0);
      await atOnce(
        TESTS_AT_ONCE,
        tested.map((cell) => () => test(cell, form)),
      );
    }
    const all = await written();
    const leaks = leaksIn(all, search);
    const told = { places: cells.length, forms: FORMS.length, tests, ...Object.fromEntries(outcomes) };
    process.stdout.write(`    ${JSON.stringify(told)}; ${search.size} needles in ${sizeOf(all)}\n`);
    should(leaks).be.empty();
    should(outcomes.get("sent")).be.aboveOrEqual(cells.filter(isHonest).length * FORMS.length);
    should(harness.nodeRed.log).not.match(/uncaught|unhandled|INTERNAL_ERROR|MaxListeners/i);
  });

  it("are found where a node does not mask them, in each form and place", async () => {
    const kinds = ["fireblocks", "privy"].map((kind) => cells.find(({ id }) => id.startsWith(kind)) as Cell);
    let found = 0;
    for (const [place, where] of Object.entries(PLACES)) {
      for (const { id, service } of kinds) {
        for (const field of Object.keys(service.secrets)) {
          await harness.nodeRed.press("press-leaking", { place, node: id, field });
          await eventually(`${field} in the ${place}`, async () =>
            leaksIn(await written(), search).some((leak) => leak.startsWith(`${where}: ${field}`)),
          );
          found += 1;
        }
      }
    }
    for (const { name, write } of FORMS) {
      const probe = `x${write(CANARIES.privyAppSecret)}x`;
      should(search.hitsIn(probe).length).be.above(0, name);
      found += 1;
    }
    process.stdout.write(`    ${found} planted leaks found\n`);
  });
});
