import { describeChaosControls, describeChaosRuns } from "./chaos-suite.ts";

describeChaosRuns({ worlds: 3, kills: 7 });
describeChaosControls(["does not mark what comes late", "hands over before it has stored that"]);
