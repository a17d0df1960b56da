import { describeOddControls, describeOddWorlds } from "./odd-suite.ts";

describeOddWorlds({ worlds: 3, kills: 7 });
describeOddControls(["does not mark what comes late", "hands over before it has stored that"]);
