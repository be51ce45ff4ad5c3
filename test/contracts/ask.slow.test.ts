// Runs the contract of asking on chargers in the same process, and in one of their own.

import { gatewayHere } from '../flows/gateway.ts';
import { describeAsk, type OpenedAsk } from './ask-contract.ts';

async function open(workers: '0' | '1'): Promise<OpenedAsk> {
  const { gateway, client, close } = await gatewayHere({ WORKERS: workers });
  const identities = new Map<string, string>();
  return {
    ask: gateway.ask,
    async addCharger() {
      const { id, identity } = await client.create({});
      identities.set(id, identity);
      return id;
    },
    async stopCharger(id) {
      await client.fetch('POST', `/ocpp/simulators/${identities.get(id)}/stop`);
    },
    killRunner: workers === '0' ? null : () => gateway.pids().forEach((pid) => void process.kill(pid, 'SIGKILL')),
    close,
  };
}

describeAsk('in the same process', () => open('0'));
describeAsk('over a channel', () => open('1'));
