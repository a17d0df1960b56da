import { join } from "node:path";
import type { NodeAPI } from "node-red";
import should from "should";
import { serviceIdentity } from "../../nodes/common/shared/text.ts";
import { type EventsInDef, NODE } from "../../nodes/events-in/fields.ts";
import { cursorLocation, deliveryOf, pollIntervals } from "../../nodes/events-in/reader/settings.ts";
import { readerOf } from "../support/field-reader.ts";

describe("the settings of events in", () => {
  const def = (settings: Partial<EventsInDef>) => readerOf(NODE, settings);

  it("wait 1 to 15 seconds between polls, and no less than the shortest at most", () => {
    should(pollIntervals(def({}))).deepEqual({ pollMinMs: 1_000, pollMaxMs: 15_000 });
    should(pollIntervals(def({ pollMin: "30" }))).deepEqual({ pollMinMs: 30_000, pollMaxMs: 30_000 });
    should(pollIntervals(def({ pollMin: 0.5, pollMax: "2" }))).deepEqual({
      pollMinMs: 500,
      pollMaxMs: 2_000,
    });
  });

  it("leave it to the consumer how many crashes are too many, where nothing is said; 0 is said", () => {
    for (const fields of [{}, { crashes: "" }, { crashes: " " }])
      should(deliveryOf(def(fields))).not.have.property("maxCrashes");
    should(deliveryOf(def({ crashes: "3" }))).have.property("maxCrashes", 3);
    should(deliveryOf(def({ crashes: "0" }))).have.property("maxCrashes", 0);
  });

  it("take a service of this machine for the same on another port, and no other", () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      should(serviceIdentity(`http://${host}:8787/v1/`)).equal(serviceIdentity(`http://${host}:9999/v1`));
    }
    const identities = ["http://service.test:1/v1", "http://service.test:2/v1", "http://service.test:1/v2"];
    should(new Set(identities.map(serviceIdentity)).size).equal(3);
  });

  it("keep a consumer's cursor apart by file and by context store", () => {
    const RED = { settings: { userDir: "/user" } } as NodeAPI;
    const places = [
      cursorLocation(RED, "", "a/b"),
      cursorLocation(RED, "", "b"),
      ...["disk", "memory"].map((store) => cursorLocation(RED, store, "b")),
    ];
    should(places[0]).equal(join("/user", "crec-cursors", "a%2Fb.json"));
    should(new Set(places).size).equal(4);
  });
});
