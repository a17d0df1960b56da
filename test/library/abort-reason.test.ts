import should from "should";
import {
  CrecClient,
  generatePrivateKey,
  joinChannel,
  levelSource,
  localEcdsaSigner,
  type Signer,
} from "../../src/index.ts";
import { CustodianClient } from "../../src/signing/custody/custodian-client.ts";
import { signWith } from "../../src/signing/index.ts";
import { errorOf, KEY } from "../http/support.ts";
import {
  ADDRESS,
  type Asked,
  CHAIN,
  ID,
  OTHER_ID,
  type Reply,
  startFakeService,
} from "../resources/support.ts";
import { request } from "../signing/custody/sample-request.ts";

describe("whatever a signal ends", () => {
  let service: Awaited<ReturnType<typeof startFakeService>>;
  let client: CrecClient;
  let narrow: CrecClient;
  let custodian: CustodianClient;

  const item = (at: number) => ({ channel_id: `${at}`, name: `${at}` });
  const operation = { operation_id: ID, status: "accepted", chain_selector: CHAIN, address: ADDRESS };
  const reply = ({ path, query }: Asked): Reply => {
    if (path === "/channels" && query.get("offset") === "0")
      return [200, { data: [item(0), item(1)], has_more: true }];
    if (path === `/channels/${OTHER_ID}`) return [503, {}, { "retry-after": "20" }];
    if (path === `/wallets/${ID}`) return [200, { wallet_id: ID, status: "deploying" }];
    if (path.endsWith(`/operations/${ID}`)) return [200, operation];
    if (path.endsWith("/events/search")) return [200, { events: [], has_more: false }];
    return "silence";
  };
  const silentSigner: Signer = {
    kind: "ecdsa",
    address: localEcdsaSigner(generatePrivateKey()).address,
    sign: () => new Promise<never>(() => {}),
  };

  before(async () => {
    service = await startFakeService(reply, { maxAttempts: 4 });
    client = service.client;
    narrow = new CrecClient({ baseUrl: service.server.url, apiKey: KEY, maxConcurrency: 1 });
    narrow.channels.get(ID).catch(() => {});
    custodian = new CustodianClient({ custodian: "Acme", baseUrl: service.server.url, secrets: [] });
  });
  after(async () => {
    await narrow?.close();
    await custodian?.close();
    await service?.close();
  });

  const all = async (items: AsyncIterable<unknown>) => {
    for await (const _ of items);
  };
  const pollMs = { min: 60_000, max: 60_000 };
  const places: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
    "a request": (signal) => client.channels.get(ID, { signal }),
    "a call in the queue": (signal) => narrow.channels.get(ID, { signal }),
    "the pause before a request is repeated": (signal) => client.channels.get(OTHER_ID, { signal }),
    "a request of your own": (signal) => client.request({ method: "GET", path: "/x", signal }),
    "a list between two pages": (signal) => all(client.channels.list({}, { signal })),
    "a search by name": (signal) => client.wallets.findByName("x", { signal }),
    "a shared look-up": (signal) => client.networks.chainIdOf("42", { signal }),
    "a wait, in its pause": (signal) => client.wallets.waitFor(ID, { target: "deployed", pollMs, signal }),
    "a wait, in its request": (signal) => client.wallets.waitFor(OTHER_ID, { target: "deployed", signal }),
    "an operation that is followed": (signal) => all(client.operations.follow(ID, ID, { pollMs, signal })),
    "a signature": (signal) => signWith(silentSigner, request, { signal }),
    "a call of a key service": (signal) =>
      custodian.call({ method: "GET", path: "/key", repeats: true, signal }),
    "the pause before a key service is asked again": (signal) =>
      custodian.call({
        method: "GET",
        path: `/channels/${OTHER_ID}`,
        repeats: true,
        withinMs: 60_000,
        signal,
      }),
    "a poll that readers share": (signal) => joinChannel(client.events, ID).source.poll({ limit: 1 }, signal),
    "a look-up that readers share": (signal) =>
      joinChannel(client.events, ID).once("x", () => new Promise<never>(() => {}), { signal, maxAgeMs: 0 }),
    "the levels of networks": (signal) => levelSource(client, ID).networks(signal),
  };
  const ways: Record<string, () => AbortSignal> = {
    "with a time-out": () => AbortSignal.timeout(30),
    "with an error": () => firing(new Error("The user went away.")),
    "with anything": () => firing("enough"),
    "without a reason": () => firing(),
    "with one of several signals": () => AbortSignal.any([firing("never", 60_000), AbortSignal.timeout(30)]),
    "before it begins": () => AbortSignal.abort(new Error("It is over.")),
  };

  for (const [place, begin] of Object.entries(places))
    it(`is ABORTED, and its cause is the signal's reason: ${place}`, async () => {
      const ended = Object.entries(ways).map(async ([way, make]) => {
        const signal = make();
        const error = await errorOf(begin(signal));
        should(error.code).equal("ABORTED", way);
        should(error.cause === signal.reason).be.true(`${way}: ${error.cause}`);
      });
      await Promise.all(ended);
    });
});

/** A signal that fires soon. */
function firing(reason?: unknown, ms = 30): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), ms).unref();
  return controller.signal;
}
