/** What a tester can ask for with proofs. */
export const PROOF_ACTIONS = ["withhold", "delay", "corrupt"] as const;
/** What a tester can ask for with events. */
export const DELIVERY_ACTIONS = ["late", "twice", "out_of_order"] as const;
