import should from "should";
import { NODE } from "../../nodes/alert/fields.ts";
import { AlertHarness, STRANGER, TREASURY, tokenNode, transfer } from "../support/alert-harness.ts";
import { functionNode, type Message } from "../support/flow-harness.ts";

const ABOVE_1000 = { kind: "field", field: "params.value", is: "above", value: "1000", unit: "token" };

describe("alert", function () {
  this.timeout(120_000);

  let harness: AlertHarness;
  before(async () => {
    harness = await AlertHarness.start();
  });
  after(() => harness?.close());

  const whyUndecided = async (message: Message) => {
    const { crec = {} } = await harness.send(message);
    const { passed, undecided = [] } = crec.alert as { passed: string; undecided?: string[] };
    should(passed).equal("undecided");
    return undecided[0];
  };
  const found = async () => {
    const headers = { "content-type": "application/json" };
    await harness.nodeRed.fetch("crec/monitor/issues/run", { method: "POST", headers, body: "{}" });
    return (await harness.nodeRed.fetch("crec/diagnostics")).text();
  };
  const seconds = () => Math.floor(Date.now() / 1000);
  const token = tokenNode();

  it("sends an event that matches by the first output, with what people need and with the event's own crec", async () => {
    await harness.deploy({ conditions: [ABOVE_1000], contract: "contract", severity: "critical" }, [token]);
    const event = transfer("1500");
    const { output, payload, topic, crec } = await harness.send({ ...event, extra: "kept" });
    should(output).equal("alert");
    should(topic).equal("alert/critical");
    should(crec).have.properties({ eventId: event.crec?.eventId, dedupeKey: event.crec?.dedupeKey });
    should(payload).have.properties({
      kind: "alert",
      severity: "critical",
      key: "",
      count: 1,
      suppressed: 0,
    });
    should(payload.title).equal(`Transfer of demo token (0x5FbD…0aa3)`);
    should(payload.text)
      .match(/value 1500/)
      .and.match(/condition: value above 1000 tokens/);
    should(payload.link).match(/^https:\/\/sepolia\.etherscan\.io\/tx\/0x[0-9a-f]{64}$/);
    should(payload.event).deepEqual(event.payload);
    should(Date.parse(String(payload.at))).be.approximately(Date.now(), 60_000);
  });

  it("sends all other messages unchanged by the third output", async () => {
    await harness.deploy({ conditions: [ABOVE_1000], contract: "contract" }, [token]);
    const event = transfer("1000");
    const { output, payload, topic, crec } = await harness.send(event);
    should(output).equal("passed");
    should(topic).equal(event.topic);
    should(payload).deepEqual(event.payload);
    should(crec).deepEqual({ ...event.crec, alert: { passed: "no_match" } });
  });

  it("counts a log once over its levels and deliveries", async () => {
    await harness.deploy();
    const event = transfer("1");
    const { dedupeKey } = event.crec ?? {};
    should(await harness.fate(event)).equal("alert");
    const finalized = String(dedupeKey).replace("latest", "finalized");
    should(await harness.fate({ ...event, crec: { dedupeKey: finalized } })).equal("seen");
    const { payload } = await harness.send({ ...event, crec: { ...event.crec, redelivered: true } });
    should(payload).have.property("kind", "alert");
  });

  it("alerts at the number of events within the window, by the time of their blocks", async () => {
    await harness.deploy({ when: "count", times: "3", within: "10m" });
    const at = (ago: number) => transfer("1", { blockTime: seconds() - ago });
    should(await harness.fate(at(3_000))).equal("counted");
    should(await harness.fate(at(500))).equal("counted");
    should(await harness.fate(at(400))).equal("counted");
    const { output, payload } = await harness.send(at(300));
    should(output).equal("alert");
    should(payload.count).equal(3);
    should(payload.text).match(/^3 times within 10m/);
  });

  it("alerts when amounts add up to the limit in tokens", async () => {
    await harness.deploy({ when: "sum", limit: "2500.5", limitUnit: "token", contract: "contract" }, [token]);
    should(await harness.fate(transfer("2500"))).equal("counted");
    const { output, payload } = await harness.send(transfer("1"));
    should(output).equal("alert");
    should(payload).have.properties({ sum: `2501${"0".repeat(18)}`, sumTokens: "2501" });
    should(payload.text).match(/sum of value is 2501 within 10m/);
  });

  it("adds up an expression: what leaves an account, less what comes in", async () => {
    const out = `payload.params.from = "${TREASURY}" ? payload.params.value : "-" & payload.params.value`;
    await harness.deploy(
      {
        ...{
          when: "sum",
          sumFrom: "expression",
          sumValue: out,
          sumValueType: "jsonata",
          contract: "contract",
        },
        ...{ limit: "10", limitUnit: "token", within: "1h" },
      },
      [token],
    );
    const back = (value: string) =>
      transfer(value, { params: { from: STRANGER, to: TREASURY, value: `${value}${"0".repeat(18)}` } });
    should(await harness.fate(transfer("9"))).equal("counted");
    should(await harness.fate(back("5"))).equal("counted");
    should(await harness.fate(transfer("5"))).equal("counted");
    const { payload } = await harness.send(transfer("1"));
    should(payload).have.properties({ kind: "alert", sumTokens: "10", count: 4 });
    const less = { when: "sum", limit: "-3", limitIs: "atMost", limitUnit: "token", within: "1h" };
    await harness.deploy({ ...less, sumFrom: "expression", sumValue: out, sumValueType: "jsonata" }, [token]);
    should(await harness.fate(back("2"))).equal("counted");
    should(await harness.fate(back("1"))).equal("alert");
  });

  it("adds up each amount by the decimals of its own contract, also beside a chosen one, and says so", async () => {
    const other = `0x${"d1".repeat(20)}`;
    const usd = tokenNode({ id: "usd-node", name: "usd", address: other, decimals: "6" });
    const paid = (value: string) =>
      transfer("0", { contract: other, params: { from: TREASURY, to: STRANGER, value }, tokens: {} });
    const sum = { when: "sum", limit: "10", limitUnit: "token", within: "1h" };
    for (const [chosen, units] of [
      ["contract", [token, usd]],
      ["usd-node", [token, usd]],
    ] as const) {
      await harness.deploy({ ...sum, contract: chosen }, units);
      should(await harness.fate(transfer("4"))).equal("counted");
      should(await harness.fate(paid("5999999"))).equal("counted");
      const { payload } = await harness.send(paid("1"));
      should(payload).have.properties({ kind: "alert", sumTokens: "10" });
      should(await found()).match(/amounts of several contracts/);
    }
    await harness.deploy({ ...sum, contract: "contract" }, [token]);
    should(await whyUndecided(paid("900000"))).match(/^The decimals of the contract are not known/);
    should(await found()).match(/whose decimals are not known/);
  });

  it("takes the decimals of the event's contract where none is chosen, and decides nothing without decimals", async () => {
    await harness.deploy({ when: "sum", limit: "10", limitUnit: "token" }, [token]);
    should(await harness.fate(transfer("9"))).equal("counted");
    should(await harness.fate(transfer("1"))).equal("alert");
    await harness.deploy({ when: "sum", limit: "10", limitUnit: "token" });
    should(await whyUndecided(transfer("9"))).match(/^The decimals of the contract are not known/);
  });

  it("shows a sum as it is where the limit is in the smallest unit, since that may be no token", async () => {
    await harness.deploy({ when: "sum", limit: "5", limitUnit: "smallest", contract: "contract" }, [token]);
    const { payload } = await harness.send(transfer("1"));
    should(payload).have.property("sum", `1${"0".repeat(18)}`);
    should(payload).not.have.property("sumTokens");
    should(payload.text).match(/sum of value is 10{18} within/);
  });

  it("says which amount is missing for a sum", async () => {
    await harness.deploy({ when: "sum", sumField: "params.amount", limit: "1", limitUnit: "smallest" });
    should(await whyUndecided(transfer("1"))).match(/^params\.amount is missing in the message/);
  });

  it("alerts at a rate above the usual one", async () => {
    await harness.deploy({
      when: "rate",
      factor: "3",
      least: "3",
      within: "1m",
      compared: "10m",
      slack: "1h",
    });
    // One in each minute before: the memory begins with the first, and has to reach behind the compared time.
    for (let minute = 12; minute >= 1; minute -= 1) {
      should(await harness.fate(transfer("1", { blockTime: seconds() - minute * 60 - 5 }))).equal("counted");
    }
    const fates = [];
    for (let count = 0; count < 4; count += 1) fates.push(await harness.fate(transfer("1")));
    should(fates).containEql("alert");
    should(fates[0]).equal("counted");
  });

  it("says that a key is seen for the first time, where a rate has nothing to compare it with", async () => {
    await harness.deploy({
      ...{ when: "rate", factor: "3", least: "2", within: "1m", compared: "10m", slack: "1h" },
      ...{ forEach: "field", forEachField: "params.to" },
    });
    await harness.fate(transfer("1", { blockTime: seconds() - 12 * 60, params: { to: TREASURY } }));
    const next = () => harness.send(transfer("1", { params: { to: STRANGER } }));
    should((await next()).output).equal("passed");
    const { output, payload } = await next();
    should(output).equal("alert");
    should(payload.text).match(/^2 times within 1m, first seen: none in the 10m before; the last: /);
  });

  it("counts each value of a field alone, however an address is written", async () => {
    await harness.deploy({ when: "count", times: "2", forEach: "field", forEachField: "params.to" });
    const to = (address: string) => transfer("1", { params: { to: address } });
    should(await harness.fate(to(STRANGER))).equal("counted");
    should(await harness.fate(to(TREASURY))).equal("counted");
    const { output, payload } = await harness.send(to(STRANGER.toLowerCase()));
    should(output).equal("alert");
    should(payload.key).equal(STRANGER.toLowerCase());
  });

  it("reads a field as conditions do: in lists, and under the name that the service writes", async () => {
    await harness.deploy({
      forEach: "field",
      forEachField: "params.list[1].tokenId",
      title: "{{params.list[0]}}",
    });
    const { payload } = await harness.send(transfer("1", { params: { list: ["first", { token_id: "7" }] } }));
    should(payload).have.properties({ key: "7", title: "first" });
    await harness.deploy({ forEach: "field", forEachField: "params..to" });
    const { error } = await harness.send(transfer("1"));
    should(error).have.property("code", "INVALID_FIELD");
    should(error?.message).match(/path of a field/);
  });

  it("counts by an expression and by contract, and decides nothing where the value is missing", async () => {
    const expression = {
      forEach: "expression",
      forEachValue: "payload.params.to",
      forEachValueType: "jsonata",
    };
    await harness.deploy({ when: "count", times: "2", ...expression });
    should(await harness.fate(transfer("1", { params: { to: "a" } }))).equal("counted");
    should(await harness.fate(transfer("1", { params: { to: "b" } }))).equal("counted");
    should(await harness.fate(transfer("1", { params: { to: "b" } }))).equal("alert");
    should(await harness.fate(transfer("1", { params: {} }))).equal("undecided");
    await harness.deploy({ when: "count", times: "2", forEach: "contract" });
    should(await harness.fate(transfer("1"))).equal("counted");
    should(await harness.fate(transfer("1", { chainSelector: "1" }))).equal("counted");
    should(await harness.fate(transfer("1"))).equal("alert");
  });

  it("is quiet for a time, and says how many alerts were held back", async () => {
    await harness.deploy({ quiet: "1h" });
    const at = (ago: number) => transfer("1", { blockTime: seconds() - ago });
    should(await harness.fate(at(7_000))).equal("alert");
    should(await harness.fate(at(6_000))).equal("quiet");
    should(await harness.fate(at(5_000))).equal("quiet");
    const { output, payload } = await harness.send(at(100));
    should(output).equal("alert");
    should(payload.suppressed).equal(2);
    should(payload.text).match(/2 more since the last alert/);
  });

  it("says at the end of the quiet time what it held back, and old flows leave that to the next alert", async () => {
    const conditions = [{ kind: "field", field: "", is: "above", value: "1" }];
    await harness.deploy({ conditions, quiet: "4s", title: "High" });
    const { payload: first } = await harness.send({ payload: 2 });
    should(await harness.fate({ payload: 3 })).equal("quiet");
    should(await harness.fate({ payload: 4 })).equal("quiet");
    const { payload, topic, crec } = await harness.raises(
      (one) => one.payload.id === first.id && one.payload.reminder === 1,
    );
    should(payload).have.properties({ kind: "alert", suppressed: 2, title: "2 more: High" });
    should(payload.text).match(
      /^2 more since the last message, the last one at 20\d\d-\d\d-\d\d .* The alert was: /,
    );
    should(topic).equal("alert/warning");
    should(crec?.alert).have.properties({ kind: "alert", id: first.id, reminder: 1, rule: "alert" });
    should(NODE.migrations?.[1]?.({ quiet: "4s" })).eql({ quiet: "4s", summarizes: false });
  });

  it("says once that a condition changes often, and what is true then", async () => {
    const conditions = [{ kind: "field", field: "", is: "below", value: "5" }];
    await harness.deploy({ conditions, quiet: "3s", recovers: true, title: "Low" });
    const give = (payload: unknown) => harness.fate({ payload });
    should(await give(4)).equal("alert");
    // No value is no good news.
    should(await give(null)).equal("no_match");
    should(await give(6)).equal("no_match");
    await harness.resolves(({ payload }) => payload.title === "Recovered: Low");
    const again = await harness.send({ payload: 4 });
    should(again.output).equal("alert");
    for (const value of [6, 4, 6]) await give(value);
    const { payload } = await harness.resolves(({ payload: { id } }) => id === again.payload.id);
    should(payload).have.properties({ kind: "recovered", changes: 3 });
    should(payload.text).match(/^Recovered: the condition has ended, after 3 changes since the last message/);
  });

  it("ends by other conditions, whatever the name of the event", async () => {
    const named = (value: string) => [{ kind: "field", field: "name", is: "equals", value }];
    const rule = { conditions: named("Paused"), recovers: true, title: "Paused" };
    const event = (name: string) => transfer("0", { name, params: { account: TREASURY } });
    await harness.deploy({ ...rule, endsWhen: "conditions", endConditions: named("Unpaused") });
    const { payload: raised } = await harness.send(event("Paused"));
    should(await harness.fate(event("Transfer"))).equal("no_match");
    should(await harness.fate(event("Unpaused"))).equal("no_match");
    const { payload } = await harness.resolves(({ payload: { id } }) => id === raised.id);
    should(payload).have.properties({ kind: "recovered", title: "Recovered: Paused" });
    should(await found()).not.match(/alert-end/);
    await harness.deploy(rule);
    should(await found()).match(/alert-end/);
  });

  it("ends an open alert when the rule is changed, and keeps it open when only a limit or a text is", async () => {
    const below = (value: string) => [{ kind: "field", field: "", is: "below", value }];
    await harness.deploy({ conditions: below("5"), recovers: true, title: "Low" });
    const { payload: raised } = await harness.send({ payload: 4 });
    await harness.redeploy({ conditions: below("6"), recovers: true, title: "Lower" });
    should(await harness.fate({ payload: 4 })).equal("quiet");
    await harness.redeploy({ when: "absence", absentFor: "1h", recovers: true });
    const { payload, topic } = await harness.resolves(({ payload: { id } }) => id === raised.id);
    should(payload).have.properties({ kind: "ended", title: "Ended: Low" });
    should(payload.text).match(/^Ended: the rule was changed\. The alert was: /);
    should(topic).equal("ended/warning");
  });

  it("ends the quiet time of answers also while the chain makes no block, or its clock runs ahead", async () => {
    const below = [{ kind: "field", field: "", is: "below", value: "5" }];
    for (const ahead of [-50, 400]) {
      await harness.deploy({ conditions: below, quiet: "1s", recovers: true });
      const time = seconds() + ahead;
      const answer = { payload: "4", crec: { block: { time }, verification: { verified: true } } };
      const { payload } = await harness.send(answer);
      should(await harness.fate(answer)).equal("quiet");
      await harness.raises((one) => one.payload.id === payload.id && one.payload.reminder === 1);
    }
  });

  it("does not let a forged time in the future make real events too late", async () => {
    await harness.deploy({ when: "count", times: "2", within: "1m" });
    const forged = transfer("1", { blockTime: seconds() + 500 });
    should(await harness.fate({ ...forged, crec: { event: {}, eventId: "forged" } })).equal("counted");
    should(await harness.fate(transfer("1"))).equal("alert");
  });

  it("reports by the second output that the condition has ended, without the event", async () => {
    const told = { title: "Large transfer", text: "{{value}} tokens" };
    await harness.deploy({ conditions: [ABOVE_1000], recovers: true, ...told }, [token]);
    // What is too large to be kept is the event alone.
    const raised = await harness.send(transfer("2000", { note: "x".repeat(8_000) }));
    should(raised.payload).have.property("text", "2000 tokens");
    should(raised.payload).not.have.properties("event", "from");
    should(await harness.fate(transfer("3"))).equal("no_match");
    const { payload, crec, topic } = await harness.resolves(
      ({ payload }) => payload.id === raised.payload.id,
    );
    should(topic).equal("recovered/warning");
    should(payload).have.properties({ kind: "recovered", title: "Recovered: Large transfer" });
    should(payload.text).containEql(String(raised.payload.text));
    should(crec).have.only.keys("alert");
  });

  it("fills in a title and a text, with amounts in tokens and known addresses by name", async () => {
    const treasury = tokenNode({ id: "treasury-node", name: "treasury", address: TREASURY, decimals: "" });
    const title = "{{severity}}: {{value}} tokens of {{contract}}";
    const text =
      "{{params.value}} from {{params.from}} to {{params.to}} {{nothing}} {{ count }} {{toString}}";
    await harness.deploy({ title, text }, [token, treasury]);
    const { payload } = await harness.send(transfer("7"));
    should(payload.title).equal("warning: 7 tokens of demo token (0x5FbD…0aa3)");
    should(payload.text).equal(`7 from treasury (0x7099…79C8) to ${STRANGER} – 1 –`);
  });

  it("shows hostile values as one line of plain text", async () => {
    const hostile =
      "a\r\nSubject: b\u0000\u202eevil\u2028 {{severity}} $t(alert.words.message) __count__ <b>";
    const params = { from: hostile, "__proto__\n": "x".repeat(5_000), to: { deep: [hostile] } };
    await harness.deploy({ title: "{{params.from}}" });
    const { payload } = await harness.send(transfer("1", { name: `N\n${hostile}`, params }));
    should(payload.title).equal("a Subject: b evil {{severity}} $t(alert.words.message) __count__ <b>");
    should(String(payload.text)).not.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    should(String(payload.text)).containEql("$t(alert.words.message) __count__");
    should(String(payload.text).length).be.belowOrEqual(1_000);
  });

  it("shows what a test message would lead to, without counting it", async () => {
    await harness.deploy({ when: "count", times: "2", within: "10m" });
    const event = transfer("1");
    const tried = await harness.send({ ...event, crec: { ...event.crec, test: true } });
    should(tried.output).equal("alert");
    should(tried.crec).have.property("test", true);
    should(await harness.fate(transfer("1"))).equal("counted");
    await harness.deploy({ when: "count", times: "2", within: "10m", allowTest: true });
    should(await harness.fate({ ...transfer("1"), crec: { test: true } })).equal("counted");
    should(await harness.fate(transfer("1"))).equal("alert");
  });

  it("takes plain messages, answers and statuses too", async () => {
    const below = (field: string) => [{ kind: "field", field, is: "below", value: "5" }];
    await harness.deploy({ conditions: below(""), name: "Low balance" });
    const { output, payload } = await harness.send({ payload: "4" });
    should(output).equal("alert");
    should(payload).have.properties({ title: "Low balance", event: "4" });
    // Each reading counts.
    should(await harness.fate({ payload: "4" })).equal("alert");
    await harness.deploy({ conditions: below("celsius") });
    should(await harness.fate({ payload: { celsius: 4.5 }, topic: "cellar" })).equal("alert");
    should(await harness.fate({ payload: { celsius: 6 } })).equal("no_match");
    should(await harness.fate({ payload: {} })).equal("no_match");
  });

  it("does not count what was rejected or could not be decoded", async () => {
    await harness.deploy();
    const event = transfer("1");
    const verification = { verified: false, reason: "bad_signature", message: "No." };
    should(await harness.fate({ ...event, crec: { ...event.crec, verification } })).equal("rejected");
    const undecoded = { type: "odd", undecoded: {} };
    should(await harness.fate({ ...event, payload: undecoded, crec: { ...event.crec, event: {} } })).equal(
      "undecoded",
    );
    should(await harness.fate(event)).equal("alert");
  });

  it("marks an alert of an event whose proof was not checked, and does not let it stand for a proven one", async () => {
    await harness.deploy();
    const event = transfer("1");
    const { dedupeKey, ...unproven } = event.crec ?? {};
    const { payload } = await harness.send({ ...event, crec: { ...unproven, event: {} } });
    should(payload).have.property("unproven", true);
    should(await harness.fate({ ...event, crec: { ...unproven, event: {} } })).equal("seen");
    should(await harness.fate(event)).equal("alert");
  });

  it("takes addresses from a list in the context", async () => {
    const condition = { kind: "field", field: "params.to", is: "oneOf", value: "watched", type: "flow" };
    const fill = functionNode("fill", "flow.set('watched', msg.payload); return msg;", ["fill-look-0"]);
    await harness.deploy({ conditions: [condition] }, [], [fill]);
    const to = (address: string) => transfer("1", { params: { to: address } });
    await harness.fill("fill", [TREASURY.toLowerCase(), "0x0000000000000000000000000000000000000001"]);
    should(await harness.fate(to(TREASURY))).equal("alert");
    should(await harness.fate(to(STRANGER))).equal("no_match");
    await harness.fill("fill", [STRANGER]);
    should(await harness.fate(to(STRANGER))).equal("alert");
    await harness.fill("fill", { not: "a list" });
    const { output, crec = {} } = await harness.send(to(STRANGER));
    should(output).equal("passed");
    const { passed, undecided } = crec.alert as { passed: string; undecided: string[] };
    should(passed).equal("undecided");
    should(undecided).have.length(1);
  });

  it("shows in its status what it has counted, and what it cannot decide", async () => {
    await harness.deploy({ quiet: "1h" });
    await harness.nodeRed.status("alert", "watching");
    await harness.send(transfer("1"));
    await harness.nodeRed.status("alert", "alerts: 1");
    await harness.send(transfer("1"));
    await harness.nodeRed.status("alert", "alerts: 1, quiet: 1 held back");
    await harness.deploy();
    // What the outlet did not accept comes again, and is no other alert.
    const repeated = transfer("1");
    for (const attempt of [1, 2, 3]) {
      const { output } = await harness.send({ ...repeated, crec: { ...repeated.crec, attempt } });
      should(output).equal("alert");
    }
    await harness.send(transfer("1"));
    await harness.nodeRed.status("alert", "alerts: 2");
    await harness.deploy({ forEach: "field", forEachField: "params.owner" });
    await harness.send(transfer("1"));
    await harness.nodeRed.status("alert", /^undecided: /);
    await harness.deploy();
    // Copies share the cursor of this event, and not what is counted.
    const event = transfer("1");
    await harness.send({ ...event, crec: { ...event.crec, epoch: 3 } });
    await harness.nodeRed.status("alert", "alerts: 1, in this copy only");
  });

  it("says by an alert, its status and an issue that it does not count new keys", async () => {
    const { nodeRed } = harness;
    const full = { when: "count", times: "2", within: "1h", maxKeys: "2", name: "Drained" };
    await harness.deploy({ ...full, forEach: "field", forEachField: "params.to", title: "of an event" });
    const [first, second, third] = ["1", "2", "3"].map((digit) => `0x${digit.repeat(40)}`);
    const to = (address = "") => transfer("1", { params: { to: address } });
    should(await harness.fate(to(first))).equal("counted");
    should(await harness.fate(to(second))).equal("counted");
    should(await found()).not.match(/alert-keys/);
    should(await harness.fate(to(third))).equal("limit");
    const { value } = await nodeRed.shows(
      ({ name, value }) => name === "alert:0" && /maxKeys/.test(JSON.stringify(value)),
    );
    should((value as Message).topic).equal("alert/warning");
    should((value as Message).payload).have.properties({
      ...{ kind: "alert", limit: "maxKeys", key: "", count: 1, severity: "warning" },
      title: "Drained: no longer counts new keys",
    });
    should(await harness.fate(to(third))).equal("limit");
    const { fill } = await nodeRed.status("alert", "alerts: 1; not counted: 2 events of new keys");
    should(fill).equal("red");
    should(await found()).match(/alert-keys/);
    should(await harness.fate(to(first))).equal("alert");
    await harness.deploy();
    should(await found()).not.match(/alert-keys/);
  });

  it("alerts at each event of a new key, and keeps the quiet time of each, beyond the keys in memory", async () => {
    await harness.deploy({ quiet: "1h", maxKeys: "1", forEach: "field", forEachField: "params.to" });
    const to = (digit: number) => transfer("1", { params: { to: `0x${`${digit}`.repeat(40)}` } });
    for (const digit of [1, 2, 3]) should(await harness.fate(to(digit))).equal("alert");
    for (const digit of [1, 2, 3]) should(await harness.fate(to(digit))).equal("quiet");
    await harness.nodeRed.status("alert", "alerts: 3, quiet: 3 held back");
  });

  it("names a field that is wrong", async () => {
    await harness.deploy({ when: "count", within: "soon" });
    const { output, error } = await harness.send(transfer("1"));
    should(output).equal("error");
    should(error).have.property("code", "INVALID_FIELD");
    should(error?.message).match(/Within/);
  });
});
