import { type Figure, optional, smallest } from "./figures.ts";
import type { Measured } from "./measured.ts";

export type Bench = {
  about: string;
  /** Whether it starts the local service as a process of its own. */
  startsService?: true;
  parts: Record<string, { run: () => Promise<Measured[]>; figures: readonly Figure[] }>;
};

/** Searches of the benchmark of the service's growth. */
const SEARCHES = [
  ...["without a filter", "the second half, by offset", "one type", "two types", "an event's name"],
  ...["an address", "a watcher, one event of 20", "a watcher with 7 events", "a type, a service and a name"],
  ...["an operation", "a query", "a time, all of it", "a time long ago", "nothing: a name that is nowhere"],
  ...["nothing: two filters of many events each", "a type, 80 % of all left out by offset"],
];

/**
 * Each part with the figures that it has to give, in their order. A part is loaded when it is run: each needs other parts
 * of the project.
 */
export const BENCHES: Record<string, Bench> = {
  alerts: {
    about: "events a second through a rule with 10,000 keys, against the same rule drawn with core nodes",
    parts: {
      "A rule in the library": {
        run: async () => (await import("./alerts.ts")).benchAlerts(),
        figures: ["in memory", "in a file", "alerts", "memory of the rule and its store", "file"],
      },
      "A full block": {
        run: async () => (await import("./alerts-block.ts")).benchFullBlock(),
        figures: [
          ...["each event an alert", "longer by", "each an alert that is watched", "longer by"],
          ...["each an alert, or the end of one", "longer by", "a sum", "longer by"],
        ],
      },
      "Node-RED": {
        run: async () => (await import("./alerts-node-red.ts")).benchAlertsInNodeRed(),
        figures: [
          ...["alert, ", "switch → function → trigger", "an empty function"],
          ...["alert, of the drawn flow", "alert, of the empty function"],
        ],
      },
    },
  },
  events: {
    about: "events a second through the client, the consumer and Node-RED, against a bare loop",
    startsService: true,
    parts: {
      "Client and consumer": {
        run: async () => (await import("./events.ts")).benchEvents(),
        figures: [
          ...["bare undici loop", "consumer, on send", "of the bare loop", "consumer, on ack, one in flight"],
          ...["of the bare loop", "proofs of 3 signatures, alone", "consumer, on send, verifying"],
          "of the proofs alone",
        ],
      },
      "Node-RED": {
        run: async () => (await import("./events-node-red.ts")).benchEventsInNodeRed(),
        figures: [
          ...["events in → count", "inject → http request in a loop", "events in is faster by"],
          ...["stored to out of the node", "95th percentile"],
        ],
      },
    },
  },
  fleet: {
    about:
      "several copies: hand-over times, commits, calls of one channel and of 1,000, memory of idle readers",
    parts: {
      "Hand-over, PostgreSQL": {
        run: async () => (await import("./fleet-faults.ts")).benchHandOvers("postgres"),
        figures: ["fail-over with a lease", "orderly stop"],
      },
      "Hand-over, Redis": {
        run: async () => (await import("./fleet-faults.ts")).benchHandOvers("redis"),
        figures: ["fail-over with a lease", "orderly stop"].map(optional),
      },
      Commits: {
        run: async () => (await import("./fleet-commits.ts")).benchCommits(),
        figures: [...commitsOf("PostgreSQL"), ...commitsOf("Redis").map(optional)],
      },
      "Calls of one channel": {
        run: async () => (await import("./fleet-calls.ts")).benchCallsOfOneChannel(),
        figures: [
          ...["events in on one channel", "events in on one channel", "of those of one"],
          ...["events in on one channel", "of those of one"],
        ],
      },
      "1,000 channels": {
        run: async () => (await import("./fleet-budget.ts")).benchBudget(),
        figures: ["calls for", "quiet channels", smallest("busy channels")],
      },
      "Idle readers": {
        run: async () => (await import("./fleet-memory.ts")).benchIdleReaders(),
        figures: ["the library, loaded", "with one reader", "readers, each of its own", smallest("each")],
      },
    },
  },
  hostile: {
    about: "how long the process of a hostile rehearsal can hold Node-RED's thread up",
    parts: {
      "The longest wait of Node-RED's thread": {
        run: async () => (await import("./rehearsal-hostile.ts")).benchHostile(),
        figures: [
          ...["a long line of progress", "progress without end", "errors without end"],
          ...["a report without end", "a report of great depth", "a report of many parts"],
        ],
      },
    },
  },
  idle: {
    about: "bytes a day and calls a minute of a consumer with nothing to read, plain and compressed",
    startsService: true,
    parts: {
      "One consumer, nothing new": {
        run: async () => (await import("./idle.ts")).benchIdle(),
        figures: ["without compression", "as it is", "of that without compression", "of the aim"],
      },
    },
  },
  load: {
    about: "start, memory and first message of Node-RED with the package, against Node-RED alone",
    parts: {
      "Node-RED": {
        run: async () => (await import("./load.ts")).benchLoad(),
        figures: [
          ...["start to first message, Node-RED alone", "with the package installed"],
          ...["added", "of the aim", "added in processor time"].map(smallest),
          ...["memory (RSS), Node-RED alone", "with the package installed"],
          ...["added", "of the aim"].map(smallest),
          smallest("first message through a function node"),
          "first message through verify event",
          smallest("memory added by a flow that verifies events"),
        ],
      },
    },
  },
  order: {
    about: "operations of one wallet a second with keep the order, against the same without it",
    parts: {
      "Messages of one tick": {
        run: async () => (await import("./kept-order.ts")).benchKeptOrder(),
        figures: ["answers after 0 ms", "answers after 100 ms"].flatMap((answers) => [
          ...[`${answers}: `, `${answers}: with the order kept`],
          "the time with the order kept, of that without",
        ]),
      },
    },
  },
  proofs: {
    about: "proofs a second, against viem, ethers, noble and C; delay of the event loop",
    parts: {
      "Proofs of 4 signatures": {
        run: async () => (await import("./proofs.ts")).benchProofs(),
        figures: [
          ...["ours", "ours without WebAssembly", "noble", "viem", "ethers", optional("C on libsecp256k1")],
          ...["ours to ours without WebAssembly", "ours to noble", "ours to viem", "ours to ethers"],
          optional("ours to C on libsecp256k1"),
        ],
      },
      "Delay of the event loop": {
        run: async () => (await import("./proofs.ts")).benchLoopDelay(),
        figures: ["proofs by verifyAll", "the same without yielding"],
      },
    },
  },
  rehearsal: {
    about:
      "past events a second through a rehearsed flow, against a bare loop; start and memory of its process",
    parts: {
      "20,000 past events": {
        run: async () => (await import("./rehearsal.ts")).benchRehearsal(),
        figures: [
          ...["through", "checked and decoded in a loop", "time of a rehearsal of nothing"],
          ...["memory of its process, with nothing", "memory of its process, with"].map(optional),
          "events that reached the flow",
        ],
      },
    },
  },
  sidebar: {
    about: "milliseconds a second that an open sidebar costs Node-RED, with 200 readers and 1,000 operations",
    parts: {
      "Main thread": {
        run: async () => (await import("./sidebar.ts")).benchSidebar(),
        figures: [
          ...["sidebar closed", "with the sidebar open"],
          ...["the cost of the open sidebar", "of the aim", "closed again"].map(smallest),
          ...["updates a second", "rows a second", "kB a second"],
        ],
      },
    },
  },
  service: {
    about: "pages, operations and logs a second of the local service; its memory; growth to 1,000,000 events",
    startsService: true,
    parts: {
      Pages: {
        run: async () => (await import("./service.ts")).benchPages(),
        figures: [
          ...["the service, pages of", "in br", "in gzip", "the same as texts", "the service against that"],
          ...["the same as bytes", "the service against that"],
        ],
      },
      Operations: {
        run: async () => (await import("./service.ts")).benchOperations(),
        figures: ["operations to confirmed_latest"],
      },
      Logs: { run: async () => (await import("./service.ts")).benchLogs(), figures: ["logs into events"] },
      Memory: {
        run: async () => (await import("./service.ts")).benchMemory(),
        figures: ["at rest after", "at rest after", "of that after the few", "at most, while"].map(optional),
      },
      Growth: {
        run: async () => (await import("./service-growth.ts")).benchGrowth(),
        figures: [
          ...["events of one channel", "written into the store", "database", "for each event"],
          ...["memory at rest", "at most"].map(optional),
          ...["pages of", "of bare node:http", "the longest wait of"],
          ...SEARCHES.flatMap((name) => [`search: ${name}, p50`, "p99; the longest wait of another call"]),
          ...["in the store: one filter", "in the store: two filters", "in the store: three filters"],
        ],
      },
      "Stored pages": {
        run: async () => (await import("./service-pages.ts")).benchStoredPages(),
        figures: ["0.5 kB", "2.6 kB", "20 kB"].flatMap((size) => [
          `pages of 200 events of ${size}`,
          "of bare node:http, the same as bytes",
        ]),
      },
    },
  },
};

function commitsOf(engine: string): string[] {
  return ["1", "16"].flatMap((channels) => {
    const what = `${engine}, ${channels} at a time`;
    return [`${what}: shared state`, `${what}: bare client`, "the shared state against that"];
  });
}
