import should from "should";
import { activity } from "../../nodes/common/telemetry/activity.ts";
import type { CallReport } from "../../nodes/common/telemetry/types.ts";
import { CallLog, endpointOf, RecentCalls } from "../../nodes/connection/call-log.ts";

const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const ADDRESSES = { baseUrl: "https://host/v1", graphqlUrl: "https://host/graphql" };
const ORIGIN = { node: "c1", flow: "", type: "crec-connection", label: "Mine" };

describe("the endpoint of a call", () => {
  it("has known words of the path only", () => {
    const endpoints = [
      ["https://host/v1/channels", "/channels"],
      [`https://host/v1/channels/${ID}/events?offset=12`, "/channels/{id}/events"],
      [`https://host/v1/channels/${ID}/events/search/${ID}`, "/channels/{id}/events/search/{id}"],
      [`https://host/v1/wallets/my%20wallet`, "/wallets/{id}"],
      ["https://host/graphql", "graphql"],
      ["https://host/v1/secret-thing", "other"],
      [`https://host/v1/channels/${ID}/0xabc/12`, "other"],
      ["https://host/elsewhere", "other"],
    ];
    for (const [url = "", endpoint] of endpoints) should(endpointOf(url, ADDRESSES)).equal(endpoint);
  });

  it("is the same for a base URL without a path, or with a slash at its end", () => {
    for (const baseUrl of ["https://host", "https://host/"])
      should(endpointOf("https://host/networks", { baseUrl, graphqlUrl: undefined })).equal("/networks");
  });
});

describe("the count of recent calls", () => {
  it("has those of the last 60 seconds", () => {
    const calls = new RecentCalls();
    const start = 1_780_000_000_000;
    for (let second = 0; second < 120; second += 1) calls.add(start + second * 1_000);
    should(calls.count(start + 119_000)).equal(60);
    should(calls.count(start + 149_000)).equal(30);
    should(calls.count(start + 200_000)).equal(0);
  });

  it("counts on when the clock is set back", () => {
    const calls = new RecentCalls();
    calls.add(1_780_000_000_000);
    calls.add(1_779_000_000_000);
    should(calls.count(1_780_000_000_000)).equal(2);
  });
});

describe("the report of a connection", () => {
  const log = () => new CallLog({ ...ADDRESSES, origin: ORIGIN, problem: undefined, budget: 600 });
  const call = { method: "GET", url: `https://host/v1/channels/${ID}`, attempt: 1, durationMs: 5 };

  it("is unused before the first call", () => {
    should(log().report()).match({ ...ORIGIN, state: "unused", callsLastMinute: 0, budget: 600 });
  });

  it("is not confused by a code that the service has invented", () => {
    const one = log();
    one.note({ ...call, status: 403, errorCode: "constructor" });
    should(one.report()).have.property("state", "ok");
  });

  it("keeps the time at which it came into its state", () => {
    const one = log();
    one.note({ ...call, status: 200 });
    const { since } = one.report();
    one.note({ ...call, status: 404 });
    should(one.report()).match({ state: "ok", since, callsLastMinute: 2 });
  });

  it("is refused where the key or its rights are, and not where one thing is forbidden", () => {
    for (const errorCode of ["KEY_REFUSED", "ORGANIZATION_NOT_FOUND", "FORBIDDEN"]) {
      const one = log();
      one.note({ ...call, status: 403, errorCode });
      should(one.report()).match({ state: "refused", problem: { code: errorCode } });
      one.note({ ...call, status: 200 });
      should(one.report()).not.have.property("problem");
    }
    const one = log();
    one.note({ ...call, status: 403, errorCode: "NOT_YOUR_WALLET" });
    should(one.report().state).equal("ok");
  });

  it("is unreachable where the service, or what is before it, does not answer", () => {
    const one = log();
    one.note({ ...call, errorCode: "SERVICE_UNREACHABLE" });
    should(one.report()).match({ state: "unreachable", problem: { code: "SERVICE_UNREACHABLE" } });
    one.note({ ...call, errorCode: "ABORTED" });
    should(one.report().state).equal("unreachable");
    one.note({ ...call, status: 503 });
    should(one.report()).match({ state: "unreachable", problem: { code: "SERVICE_ERROR" } });
    one.note({ ...call, status: 500 });
    should(one.report().state).equal("ok");
  });

  it("names the proxy where that is at fault", () => {
    const one = log();
    for (const [errorCode, hop, says] of [
      [
        "SERVICE_UNREACHABLE",
        "proxy",
        /^The proxy at proxy:3128 cannot be reached, or .* Check that it runs/,
      ],
      ["TIMEOUT", "tunnel", /^The proxy at proxy:3128 opens no connection to the service\. Check its user/],
      ["TLS_ERROR", "proxy", /^No secure connection to the proxy at proxy:3128 .*NODE_EXTRA_CA_CERTS/],
      ["TLS_ERROR", "service", /^No secure connection to the service /],
    ] as const) {
      one.note({ ...call, errorCode, hop, host: "proxy:3128" });
      should(one.report()).match({ state: "unreachable", problem: { code: errorCode, message: says } });
    }
  });

  it("does not take the account service for the service", () => {
    const one = log();
    one.note({ ...call, url: "https://host/graphql", errorCode: "SERVICE_UNREACHABLE" });
    should(one.report()).match({ state: "unused", callsLastMinute: 1 });
  });

  it("is incomplete with the problem of the settings", () => {
    const problem = { code: "CONNECTION_INCOMPLETE", message: "The connection's API key is missing." };
    const one = new CallLog({ ...ADDRESSES, origin: ORIGIN, problem, budget: undefined });
    should(one.report()).match({ state: "incomplete", problem });
  });

  it("shows no password of the base URL", () => {
    const baseUrl = "https://me:secret@host/v1?key=secret";
    const one = new CallLog({
      baseUrl,
      graphqlUrl: undefined,
      origin: ORIGIN,
      problem: undefined,
      budget: 1,
    });
    should(one.report().baseUrl).equal("https://host/v1");
  });

  it("tells each call, without its ids", () => {
    const told: CallReport[] = [];
    const end = activity.onFact((fact) => {
      if (fact.kind === "call") told.push(fact.call);
    });
    log().note({ ...call, status: 200 });
    end();
    should(told).deepEqual([
      { connection: "c1", method: "GET", endpoint: "/channels/{id}", status: 200, durationMs: 5 },
    ]);
  });
});
