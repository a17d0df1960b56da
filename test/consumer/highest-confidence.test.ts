import fc from "fast-check";
import should from "should";
import { HighestConfidence, type LevelSource } from "../../src/consumer/index.ts";
import { CrecError } from "../../src/errors.ts";
import { CONFIDENCES, type EventEnvelope } from "../../src/protocol/index.ts";

const NETWORK = "3379446385462418246";
const OTHER = "16015286601757825753";
const WATCHER = "0f8fad5b-d9cb-469f-a165-70867728950e";
const SIGNAL = new AbortController().signal;

type Given = { confidence?: string; chain?: string; watcher?: string };

function contractEvent({ confidence, chain = NETWORK, watcher = WATCHER }: Given = {}): EventEnvelope {
  const signed = {
    name: "Transfer",
    chain_selector: chain,
    chain_event: { address: "0x00", ...(confidence === undefined ? {} : { confidence }) },
  };
  return {
    event_id: "1",
    headers: { type: "watcher.event", offset: 1, proofs: [] },
    payload: {
      watcher_id: watcher,
      chain_selector: chain,
      verifiable_event: Buffer.from(JSON.stringify(signed)).toString("base64"),
    },
  };
}

type Levels = { networks?: Record<string, string>; watchers?: Record<string, string> };

/** A service that says these levels, and counts what it was asked. */
function source({ networks = {}, watchers = {} }: Levels): LevelSource & { asked: number } {
  const made = {
    asked: 0,
    networks: async () => {
      made.asked += 1;
      return Object.entries(networks).map(([chain_selector, level]) => ({
        chain_selector,
        default_confidence_level: level,
      }));
    },
    watcher: async (id: string) => {
      made.asked += 1;
      const level = watchers[id];
      return level === undefined ? {} : { confidence_level: level };
    },
  };
  return made as LevelSource & { asked: number };
}

async function passing(highest: HighestConfidence, events: readonly EventEnvelope[]): Promise<boolean[]> {
  await highest.learn(events, SIGNAL);
  return events.map((event) => highest.passes(event));
}

describe("the highest confidence of a network", () => {
  const each = ["latest", "safe", "finalized", undefined];
  const ofEach = (given: Given = {}) =>
    each.map((confidence) => contractEvent({ ...given, ...(confidence ? { confidence } : {}) }));

  it("is what the service says of the network; an event that does not state its level counts as latest", async () => {
    for (const [level, wanted] of [
      ["finalized", [false, false, true, false]],
      ["safe", [false, true, true, false]],
      ["latest", [true, true, true, true]],
    ] as const)
      should(
        await passing(new HighestConfidence(source({ networks: { [NETWORK]: level } })), ofEach()),
      ).deepEqual(wanted, level);
  });

  it("is what the service says of the watcher, before that of its network", async () => {
    const given = { networks: { [NETWORK]: "finalized" }, watchers: { [WATCHER]: "latest" } };
    should(await passing(new HighestConfidence(source(given)), ofEach())).deepEqual([true, true, true, true]);
    const upper = contractEvent({ confidence: "latest", watcher: WATCHER.toUpperCase() });
    should(await passing(new HighestConfidence(source(given)), [upper])).deepEqual([true]);
  });

  it("is not known where the service does not say it, or says a level that is not known: nothing is held back", async () => {
    const elsewhere = { networks: { [OTHER]: "finalized" } };
    const strange = { networks: { [NETWORK]: "absolute" } };
    for (const levels of [{}, elsewhere, strange])
      should(await passing(new HighestConfidence(source(levels)), ofEach())).deepEqual([
        true,
        true,
        true,
        true,
      ]);
  });

  it("is not known where the service refuses to say it", async () => {
    for (const code of ["FORBIDDEN", "WATCHER_NOT_FOUND", "NOT_FOUND"]) {
      const refuse = async () => {
        throw new CrecError(code, "No.");
      };
      const highest = new HighestConfidence({ networks: refuse, watcher: refuse });
      should(await passing(highest, ofEach())).deepEqual([true, true, true, true], code);
    }
  });

  it("is waited for where the service cannot be asked now", async () => {
    const known = source({ networks: { [NETWORK]: "finalized" } });
    let failure: CrecError | undefined = new CrecError("TIMEOUT", "Too slow.", { retryable: true });
    const highest = new HighestConfidence({
      ...known,
      networks: async (signal) => {
        if (failure) throw failure;
        return known.networks(signal);
      },
    });
    const events = [contractEvent({ confidence: "latest" })];
    await should(highest.learn(events, SIGNAL)).rejectedWith({ code: "TIMEOUT" });
    failure = new CrecError("KEY_REFUSED", "No such key.");
    await should(highest.learn(events, SIGNAL)).rejectedWith({ code: "KEY_REFUSED" });
    failure = undefined;
    should(await passing(highest, events)).deepEqual([false]);
  });

  it("is read once a minute at most, and only for events that a higher level could exist for", async () => {
    let now = 0;
    const levels: Record<string, string> = { [NETWORK]: "finalized" };
    const service = source({ networks: levels });
    const highest = new HighestConfidence(service, () => now);
    await passing(highest, [contractEvent({ confidence: "finalized" })]);
    should(service.asked).equal(0);
    const event = contractEvent({ confidence: "latest" });
    for (let count = 0; count < 5; count += 1)
      should(await passing(highest, [event, event])).deepEqual([false, false]);
    should(service.asked).equal(2);
    // The service reports only latest from now on: an old answer must not lose events for ever.
    levels[NETWORK] = "latest";
    now = 60_000;
    should(await passing(highest, [event])).deepEqual([true]);
  });

  it("does not concern other events, nor those that cannot be read", async () => {
    const highest = new HighestConfidence(source({ networks: { [NETWORK]: "finalized" } }));
    const unreadable = contractEvent();
    unreadable.payload.verifiable_event = "?";
    const status = contractEvent();
    status.headers.type = "operation.status";
    should(await passing(highest, [unreadable, status])).deepEqual([true, true]);
  });

  it("never holds back all that is reported of a log, whatever the service says", async () => {
    const level = fc.constantFrom(...CONFIDENCES);
    const said = fc.option(fc.constantFrom<string>(...CONFIDENCES, "absolute", ""), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(level, { minLength: 1 }),
        said,
        said,
        fc.boolean(),
        async (reported, ofNetwork, ofWatcher, fails) => {
          const strongest = CONFIDENCES.findLast((one) => reported.includes(one)) ?? "latest";
          // A service that says more than it reports cannot be told from one that is late.
          const honest = (one: string | undefined) =>
            one !== undefined && CONFIDENCES.indexOf(one as "latest") > CONFIDENCES.indexOf(strongest)
              ? strongest
              : one;
          const [network, watcher] = [honest(ofNetwork), honest(ofWatcher)];
          const service = source({
            networks: network === undefined ? {} : { [NETWORK]: network },
            watchers: watcher === undefined ? {} : { [WATCHER]: watcher },
          });
          const refuse = async () => {
            throw new CrecError("FORBIDDEN", "No.");
          };
          const highest = new HighestConfidence(fails ? { ...service, networks: refuse } : service);
          const events = reported.map((confidence) => contractEvent({ confidence }));
          const passed = await passing(highest, events);
          should(passed[reported.indexOf(strongest)]).be.true();
        },
      ),
    );
  });
});
