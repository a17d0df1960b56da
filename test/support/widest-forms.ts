import type { Editor } from "./editor.ts";
import type { FlowOfAll } from "./editor-flow.ts";
import type { Form } from "./editor-form.ts";
import type { FlowNode } from "./node-red.ts";
import { value } from "./operation-nodes.ts";

/** A form with as much in it as a person may ever put there. */
type Widest = {
  /** In place of the settings of `editor-rows.ts`. */
  settings?: (ids: FlowOfAll["ids"]) => Record<string, unknown>;
  /** Makes the form show its results and its longest sentences. */
  fill?: (form: Form, editor: Editor) => Promise<void>;
};

type Scrolled = { scrollIntoView(how: { block: "end" }): void };

const SOMEONE = "0x00000000000000000000000000000000000000AA";
const LONG_NAME = "beneficiaryAccountsOfTheSecondQuarterlyDistribution";
const BATCH = [
  "function distribute(address firstReceiver, (address account, uint256 amount, bytes32 receipt)[]",
  `${LONG_NAME}, uint256 value, bytes32 receipt, bytes data, string note, bool isFinal, uint8[4] quarters)`,
].join(" ");
const PARAMETERS = `address indexed sender, address indexed receiver, uint256 ${LONG_NAME}, bytes32 receipt`;
const ABI = [
  BATCH,
  `function balanceOf(address account, (uint256 first, uint256 ${LONG_NAME}) range) view returns (uint256)`,
  ...["Paid", "Refused", "Returned", "Distributed"].map(
    (name) => `event ${name}WithAReferenceAndALongName(${PARAMETERS})`,
  ),
];
const SIGNATURE =
  "distribute(address,(address,uint256,bytes32)[],uint256,bytes32,bytes,string,bool,uint8[4])";
const HEX = `0x${"ab".repeat(300)}`;
const SIGNERS = Array.from({ length: 7 }, (_none, index) => `0x${String(index + 1).repeat(40)}`).join("\n");

const WIDEST: Readonly<Record<string, Widest>> = {
  "crec-connection": {
    settings: () => ({
      families: [1, 2].map((number) => ({
        ...{ family: `zone-${number}-${LONG_NAME}`, validSigners: SIGNERS, minRequiredSignatures: "9" },
        ...{ orgId: "", creTenantId: "" },
      })),
      requestsPerMinute: "1000000",
    }),
    fill: async (form) => {
      await form.root.locator("#crec-connection-test").click();
      await form.root.locator("#crec-connection-test-result", { hasText: /^(?!Testing)./ }).waitFor();
    },
  },
  "crec-contract": {
    settings: () => ({ abi: ABI.join("\n"), decimals: "18" }),
    fill: async (form) => {
      await form.fill("abi", `${ABI[0]}\nfunction ${LONG_NAME.repeat(4)}(uint999 ${LONG_NAME})`);
      await form.root.getByText(/^Not usable: /).waitFor();
    },
  },
  "crec-signer": {
    fill: async (form) => {
      await form.settled("address", /^0x/);
      await form.root.locator(".crec-copy button").first().click();
      await form.root.locator(".crec-copy [role=status]:not(:empty)").waitFor();
    },
  },
  "crec-fleet": {
    settings: () => ({
      ...{ servers: "sentinel", master: LONG_NAME, namespace: "demo" },
      sentinels: [1, 2, 3].map((number) => `sentinel-${number}.${LONG_NAME}.example:26379`).join("\n"),
    }),
    fill: async (form) => {
      await form.fill("master", `${LONG_NAME}-2`);
      await form.root.getByText("The sentinels or TLS were changed.").waitFor();
      await form.fill("url", `postgres://user:password@${LONG_NAME}.example/database`);
      await form.root.locator("#crec-fleet-test").click();
      await form.root.locator("#crec-fleet-test-result", { hasText: /^(?!Testing)./ }).waitFor();
    },
  },
  "crec-create-watcher": { settings: () => ({ events: "NoSuchEvent" }) },
  "crec-events-in": {
    // Its shared state cannot be reached, and without it the panel has nothing to show.
    settings: () => ({ fleet: "" }),
    fill: async (form) => {
      await form.root.locator("#crec-events-in-report", { hasText: /cursor/ }).waitFor();
    },
  },
  "crec-submit-operation": {
    settings: (ids) => {
      const address = { ...value(SOMEONE) };
      const args = ["", "[]", "1.5", HEX, HEX, LONG_NAME, "true", "[1]"].map((text) => value(text));
      const contract = String(ids["crec-contract"]);
      return {
        calls: [
          { kind: "contract", contract, function: SIGNATURE, args, address, amount: value("") },
          { kind: "raw", to: value(SOMEONE), data: value(HEX), amount: { ...value("0.25"), unit: "ether" } },
          { kind: "contract", contract, function: "gone(uint256)", args: [], amount: value("") },
        ],
        contract3: contract,
      };
    },
    fill: async (form) => {
      const button = form.root.locator("#crec-submit-operation-preview");
      // At the lower edge of the form, where a person finds it who scrolls down.
      await button.evaluate((element) => (element as unknown as Scrolled).scrollIntoView({ block: "end" }));
      await button.click();
      await form.root.locator("#crec-submit-operation-preview-result li").first().waitFor();
    },
  },
  "crec-run-query": {
    settings: () => ({
      call: {
        function: "balanceOf(address,(uint256,uint256))",
        args: [value(SOMEONE), value('{"first": "one"}', "json")],
      },
    }),
  },
};

/** The settings of the widest form of each type, put into the flow of one node of each type. */
export function widestFlow({ flows, ids }: FlowOfAll): FlowNode[] {
  return flows.map((node) => ({ ...node, ...WIDEST[node.type]?.settings?.(ids) }));
}

/** Brings an open form to the state in which it is widest. */
export async function fillWidest(editor: Editor, form: Form, type: string): Promise<void> {
  await editor.inPage.unfold();
  await WIDEST[type]?.fill?.(form, editor);
}
