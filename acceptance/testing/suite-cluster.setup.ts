/** Gives each suite three nodes behind a balancer instead of one server (use-deployment.ts). */
process.env.PARLEY_TEST_CLUSTER = '1'
