import { createRequire } from "node:module";
import type { Node, NodeAPI } from "node-red";
import should from "should";
import { nodeConditions } from "../../nodes/common/contracts/conditions.ts";
import type { ConditionDef } from "../../nodes/common/shared/stored-values.ts";
import { type Abi, parseAbi } from "../../src/index.ts";

const { util } = createRequire(import.meta.url)("@node-red/util");
const common = createRequire(import.meta.url)("../../nodes/common/locales/en-US/common.json");

const TOKEN = "0x5b571A50AC6cB524730C8419EBe452703139809A";
const OTHER = "0x00000000000000000000000000000000DeaDBeef";
const NETWORK = "5009297550715157269";
const ABI = "event Transfer(address from, address to, uint256 value)";

type World = {
  match?: "all" | "any";
  decimals?: number;
  abi?: string;
  flow?: Record<string, unknown>;
  noContract?: boolean;
};

const field = (path: string, is: string, value?: string, more: object = {}) =>
  ({ kind: "field", field: path, is, ...(value === undefined ? {} : { value }), ...more }) as ConditionDef;
const expression = (value: string, more: object = {}): ConditionDef => ({
  kind: "expression",
  value,
  ...more,
});
const transfer = (value: unknown, more: object = {}) => ({
  name: "Transfer",
  params: { from: OTHER, to: TOKEN, value },
  contract: TOKEN,
  chainSelector: NETWORK,
  ...more,
});

describe("the conditions of a node", () => {
  let prepared: string[] = [];

  /** A Node-RED without nodes: its own functions for values, our texts, and a context in memory. */
  function world({ match = "all", flow = {}, ...contract }: World, rows: unknown) {
    prepared = [];
    const abi = (): Promise<Abi> => Promise.resolve(parseAbi(contract.abi ?? ABI));
    const ref = { chainSelector: NETWORK, address: TOKEN, decimals: contract.decimals, abi };
    const RED = {
      _: (key: string, words: Record<string, unknown> = {}) => {
        const [, ...names] = key.split(".");
        const text = names.reduce((at, name) => at[name], common.common) as unknown as string;
        return text.replace(/__(\w+)__/g, (_, name) => String(words[name]));
      },
      nodes: { getNode: () => ({ contract: ref }) },
      util: {
        ...util,
        prepareJSONataExpression: (text: string, node: Node) => {
          prepared.push(text);
          return util.prepareJSONataExpression(text, node);
        },
      },
    } as unknown as NodeAPI;
    const get = (name: string, _store: unknown, done: (error: null, value: unknown) => void) =>
      done(null, flow[name]);
    const node = { context: () => ({ flow: { get }, global: { get } }) } as unknown as Node;
    const chosen = contract.noContract ? undefined : "contract";
    return nodeConditions({ RED, node, t: RED._ }, { match, conditions: rows, contract: chosen });
  }
  const result = async (settings: World, rows: ConditionDef[], payload: unknown, more: object = {}) =>
    (await world(settings, rows).check({ ...more, payload } as never)).matches;
  const refusal = (rows: unknown, settings: World = {}) =>
    should(
      Promise.resolve().then(() => world(settings, rows).check({ payload: transfer("1") } as never)),
    ).be.rejected();

  it("compare by the ABI of the chosen contract", async () => {
    const row = field("params.note", "equals", "1.0");
    const note = { name: "Note", params: { note: "1" } };
    should(await result({ abi: "event Note(string note)" }, [row], note)).equal(false);
    should(await result({ noContract: true }, [row], note)).equal(true);
  });

  it("convert tokens by the decimals of the chosen contract, for its events only", async () => {
    const row = field("params.value", "atLeast", "1.5", { unit: "token" });
    const decided = (payload: unknown) => result({ decimals: 6 }, [row], payload);
    should(await decided(transfer("1500000"))).equal(true);
    should(await decided(transfer("1499999"))).equal(false);
    should(await decided({ params: { value: "1500000" } })).equal(true);
    should(await decided(transfer("1500000", { contract: OTHER }))).equal(undefined);
    should(await decided(transfer("1500000", { contract: OTHER, tokens: { value: "15" } }))).equal(true);
    should(await decided(transfer("1500000", { chainSelector: "1" }))).equal(undefined);
    should(await decided(transfer("1500000", { chainSelectorUnsigned: true }))).equal(undefined);
  });

  it("ignore a unit that the comparison has no use for", async () => {
    const row = field("params.value", "exists", "", { unit: "token" });
    should(await result({}, [row], transfer("5"))).equal(true);
  });

  it("read values of each type", async () => {
    process.env.CREC_TEST_LIMIT = "10";
    const above = (value: string, type: string) => field("params.value", "above", value, { type });
    const decided = (row: ConditionDef) =>
      result({ flow: { limit: "10" } }, [row], transfer("11"), { limit: 10, wrong: "ten" });
    for (const row of [
      above("10", "str"),
      above("10", "num"),
      above("limit", "msg"),
      above("limit", "flow"),
      above("limit", "global"),
      above("CREC_TEST_LIMIT", "env"),
      above("limit + 0", "jsonata"),
      above('$flowContext("limit")', "jsonata"),
      field("params.value", "between", "limit", { type: "msg", to: "12", toType: "str" }),
      field("params.value", "between", "1", { type: "str", to: "limit", toType: "msg", not: true }),
    ]) {
      should(await decided(row)).equal(true, JSON.stringify(row));
    }
    delete process.env.CREC_TEST_LIMIT;
  });

  it("cannot be decided where a value from a message is missing or does not fit, and say why", async () => {
    const conditions = world({ flow: {} }, [
      field("params.value", "above", "1", { type: "str" }),
      field("params.value", "above", "limit", { type: "flow" }),
      field("params.value", "above", "limit", { type: "msg" }),
      expression("$sum(payload.name)"),
      expression("payload.name"),
    ]);
    const { matches, reasons } = await conditions.check({ payload: transfer("5"), limit: "ten" } as never);
    should(matches).equal(undefined);
    should(reasons.length).equal(4);
    should(reasons[0]).equal(
      '"Condition 2" has nothing to compare with: flow limit holds no text and no number.',
    );
    should(reasons[1]).equal("Condition 3: value must be a decimal number such as 1.5, with a point.");
    should(reasons[2]).match(/^Condition 4: .*\$?sum/);
    should(reasons[3]).equal('"Condition 5" gives a string, not true or false. Correct its expression.');
  });

  it("take a list from the context, with addresses or contacts, also after it has changed", async () => {
    const list: unknown[] = [];
    const conditions = world({ flow: { blocked: list } }, [
      field("params.from", "oneOf", "blocked", { type: "flow" }),
    ]);
    const opposite = world({ flow: { blocked: list } }, [
      field("params.from", "oneOf", "blocked", { type: "flow", not: true }),
    ]);
    const decided = async () => [
      (await conditions.check({ payload: transfer("1") })).matches,
      (await opposite.check({ payload: transfer("1") })).matches,
    ];
    should(await decided()).eql([false, true]);
    list.push({ name: "mixer", address: OTHER.toLowerCase() });
    should(await decided()).eql([true, false]);
    list[0] = TOKEN;
    should(await decided()).eql([false, true]);
    list.push(OTHER);
    should(await decided()).eql([true, false]);
    list.push({ name: "without an address" });
    should(await decided()).eql([undefined, undefined]);
    should((await opposite.check({ payload: { params: {} } })).matches).equal(undefined);
    list.length = 0;
    should((await opposite.check({ payload: { params: {} } })).matches).equal(false);
  });

  it("take text with commas for a list", async () => {
    const row = field("params.from", "oneOf", `${TOKEN}, ${OTHER.toLowerCase()}`, { type: "str" });
    should(await result({}, [row], transfer("1"))).equal(true);
  });

  it("evaluate an expression about the whole message, read once", async () => {
    const conditions = world({}, [expression("payload.params.value = limit")]);
    should((await conditions.check({ payload: transfer("5"), limit: "5" } as never)).matches).equal(true);
    should((await conditions.check({ payload: transfer("5"), limit: "6" } as never)).matches).equal(false);
    should(prepared).eql(["payload.params.value = limit"]);
    const about = async (row: ConditionDef) => result({}, [row], transfer("5"));
    should(await about(expression("payload.params.value = '4'", { not: true }))).equal(true);
    // As with a field that is missing.
    should(await about(expression("payload.nothing"))).equal(false);
    should(await about(expression("payload.nothing", { not: true }))).equal(false);
  });

  it("match all or any, and evaluate no expression where fields decide", async () => {
    const failing = expression("$error('evaluated')");
    const large = field("params.value", "above", "100");
    const small = field("params.value", "below", "100");
    should(await result({ match: "all" }, [failing, large], transfer("5"))).equal(false);
    should(await result({ match: "any" }, [failing, small], transfer("5"))).equal(true);
    should(await result({ match: "any" }, [failing, large], transfer("5"))).equal(undefined);
    should(await result({ match: "all" }, [], transfer("5"))).equal(true);
  });

  it("are refused where they are wrong for each message", async () => {
    const above = (value: string, more: object = {}) => field("params.value", "above", value, more);
    should(await refusal([above("1"), above("ten")])).match({
      code: "INVALID_FIELD",
      message: "Condition 2: value must be a decimal number such as 1.5, with a point.",
    });
    should(await refusal([field("params.value", "like", "ten")])).match({ code: "INVALID_FIELD" });
    should(await refusal([field("params.from", "oneOf", "")])).match({
      code: "INVALID_FIELD",
      message: /^"Condition 1" has nothing/,
    });
    should(await refusal([above("1", { unit: "ether" })])).match({ code: "INVALID_FIELD" });
    should(await refusal([expression("payload.(")])).match({
      code: "INVALID_FIELD",
      message: /^"Condition 1" cannot be evaluated/,
    });
    should(await refusal([above("(", { type: "jsonata" })])).match({ code: "INVALID_FIELD" });
    should(await refusal([above("${NOT_SET_ANYWHERE}")])).match({ code: "VARIABLE_MISSING" });
    should(await refusal([above("1")], { abi: "nonsense" })).match({ code: "ABI_INVALID" });
    for (const odd of [{}, "all", [null], [{ kind: "field" }], [{ kind: "other", value: "true" }]]) {
      should(await refusal(odd)).match({ code: "INVALID_FIELD" });
    }
  });
});
