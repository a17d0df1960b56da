import { inVariants, sized } from "../support/variants.ts";
import { describeChaosControls, describeChaosRuns } from "./chaos-suite.ts";

describeChaosRuns({ worlds: sized(1, 3), kills: 7 });
inVariants(() =>
  describeChaosControls(["does not mark what comes late", "hands over before it has stored that"]),
);
