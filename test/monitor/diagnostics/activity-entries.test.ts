import fc from "fast-check";
import should from "should";
import { Activity } from "../../../nodes/common/telemetry/activity.ts";
import type { EventReport, OperationReport } from "../../../nodes/common/telemetry/types.ts";
import {
  activityEntries,
  errorEntry,
  issueEntry,
} from "../../../plugins/monitor/diagnostics/activity-entries.ts";
import { redactor } from "../../../plugins/monitor/diagnostics/redact.ts";
import { ownWords } from "../../../scripts/lib/own-words.ts";
import { canary, spellings } from "./canaries.ts";

const UUID = "01234567-89ab-4def-8123-456789abcdef";
const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";

/** Reports in which each text is the same one. */
function filled(text: string): Activity {
  const activity = new Activity();
  const origin = { node: text, flow: text, type: text, label: text };
  const problem = { code: text, message: `The channel ${text} is missing.` };
  activity.connections.add(() => ({
    ...origin,
    ...{ baseUrl: text, state: "refused", since: 1_000, problem, callsLastMinute: 3, budget: 100 },
  }));
  activity.readers.add(() => ({
    ...{ ...origin, consumer: text, channel: text, channelId: text, state: "retrying", problem },
    ...{ inFlight: 1, delivered: 2, rejected: 3, late: 4 },
  }));
  activity.note({ kind: "operation", operation: operation(text), before: undefined });
  activity.note({
    kind: "operation",
    operation: { ...operation(text), key: "2", outcome: "failed" },
    before: undefined,
  });
  const report = {
    ...{
      id: text,
      name: text,
      status: text,
      reason: text,
      channelId: text,
      address: text,
      chainSelector: text,
    },
    ...{ service: text, seenAt: 1_000, origin },
  };
  activity.note({ kind: "resource", resource: "watcher", report });
  activity.note({ kind: "resource", resource: "wallet", report });
  activity.note({ kind: "event", event: event(text) });
  return activity;
}

function operation(text: string): OperationReport {
  return {
    ...{ node: text, flow: text, type: text, label: text, key: "1", channelId: text, operationId: text },
    ...{ walletOperationId: text, wallet: text, chainSelector: text, status: text, outcome: "waiting" },
    ...{ reason: text, startedAt: 1_000, changedAt: 2_000 },
  };
}

function event(text: string): EventReport {
  return {
    ...{ node: text, flow: text, label: text, number: 1, seenAt: 1_000, consumer: text, channelId: text },
    ...{ offset: 12, type: text, name: text, chainSelector: text, contract: text, confidence: text },
    ...{
      proof: "rejected",
      reason: text,
      proofMs: 2,
      tokens: { [text]: text },
      isRedelivered: false,
      isLate: true,
    },
  };
}

describe("what nodes report, in diagnostics", () => {
  let words: ReadonlySet<string>;
  before(async () => {
    words = new Set((await ownWords()).split(" "));
  });
  const describing = () => ({
    labelOf: (id: string) => (id === UUID ? "events in #1" : undefined),
    redact: redactor({ words, entered: [] }),
  });

  it("has states, counts, ids, codes and times", () => {
    const { connections, readers } = activityEntries(filled(UUID), describing());
    should(connections[0]).have.properties({
      ...{ node: "events in #1", state: "refused", since: "1970-01-01T00:00:01.000Z" },
      ...{ callsLastMinute: 3, budget: 100, problem: "The channel […] is missing." },
    });
    should(readers[0]).have.properties({ state: "retrying", channelId: UUID, rejected: 3, late: 4 });
    const { operationsEnded, wallets, events } = activityEntries(filled("confirmed_latest"), describing());
    should(operationsEnded[0]).have.properties({ outcome: "failed", reason: "confirmed_latest" });
    should(wallets[0]).have.properties({ status: "confirmed_latest", node: "(removed)" });
    should(events[0]).have.properties({ proof: "rejected", reason: "confirmed_latest", offset: 12 });
  });

  it("shows of the URL of a service only its kind", () => {
    const { connections } = activityEntries(filled("https://jane.acme.com/v1"), describing());
    should(connections[0]).have.property("service", "(https, another address)");
  });

  it("shortens addresses", () => {
    const { operationsUnderWay, wallets } = activityEntries(filled(ADDRESS), describing());
    should(operationsUnderWay[0]).have.property("wallet", "0x5290…9EE7");
    should(wallets[0]).have.property("address", "0x5290…9EE7");
  });

  it("shows nothing else of any text", () => {
    fc.assert(
      fc.property(canary, fc.constantFrom(...spellings), (value, spelling) => {
        const text = spelling(value);
        // The number of a network is no secret.
        fc.pre(!/^\d{1,20}$/.test(text));
        const origin = { node: text, flow: text, type: text, label: text };
        const issue = {
          id: text,
          check: "demo-address",
          severity: "error",
          origin,
          said: { case: text, values: { text } },
          what: text,
          fix: text,
        } as const;
        const error = { node: text, type: text, code: text, text, at: 1_000, times: 1 };
        const shown = JSON.stringify([
          activityEntries(filled(text), describing()),
          issueEntry({ ...issue, buttons: [], isIgnored: false }, describing()),
          errorEntry(error, describing()),
        ]);
        for (const one of spellings) should(shown.includes(one(value))).equal(false, shown);
      }),
      { numRuns: 1_000 },
    );
  });
});
