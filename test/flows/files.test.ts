// Files in the whole product: the CSMS asks, a charger in a process of its own sends its log and fetches its firmware.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FtpServer, ftpServer } from '../contracts/ftp-server.ts';
import { GatewayProcess, type Json, startCsms, temporaryFolder } from './gateway.ts';

describe('files in the whole product', () => {
  const folder = temporaryFolder();
  const gateway = new GatewayProcess(folder.path);
  const uploaded = new Map<string, string>();
  const http = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (request.method === 'PUT') uploaded.set(request.url ?? '', Buffer.concat(pieces).toString());
      response.end('firmware');
    });
  });
  let csms: Awaited<ReturnType<typeof startCsms>>;
  let ftp: FtpServer;
  let place: string;

  beforeAll(async () => {
    csms = await startCsms();
    ftp = await ftpServer();
    await new Promise<void>((listening) => http.listen(0, '127.0.0.1', () => listening()));
    place = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    await gateway.start();
  });
  afterAll(async () => {
    await gateway.end('SIGTERM');
    await csms.close();
    ftp.close();
    http.close();
    folder.remove();
  });

  it.each(['1.6', '2.0.1', '2.1'])('OCPP %s: a log goes up over HTTP and over FTP', async (ocpp_version) => {
    const client = await gateway.client();
    const identity = `FILES-${ocpp_version}`;
    await client.create({ identity, ocpp_version, ws_url: csms.url });
    await client.untilConnected(identity);
    for (const [requestId, remoteLocation] of [`${place}/logs`, `${ftp.url}/logs`].entries()) {
      const request = { logType: 'DiagnosticsLog', requestId, log: { remoteLocation } };
      const { filename } = await csms.csms.call('test', identity, 'GetLog', request);
      const isThere = (told: Json) => told.status === 'Uploaded' && told.requestId === requestId;
      await csms.recorder.waitFor(identity, 'LogStatusNotification', isThere);
      const content = uploaded.get(`/logs/${filename}`) ?? ftp.files.get(`/logs/${filename}`)?.toString();
      expect(content).toContain('out call BootNotification');
      uploaded.clear();
    }
    expect(csms.recorder.violations()).toEqual([]);
  });

  it('new firmware comes down, and the charger boots with it', async () => {
    const client = await gateway.client();
    const identity = 'FIRMWARE';
    await client.create({ identity, ocpp_version: '1.6', ws_url: csms.url });
    await client.untilConnected(identity);
    const retrieveDate = new Date(Date.now() - 1_000).toISOString();
    await csms.csms.call('test', identity, 'UpdateFirmware', { location: `${place}/acme-7.8.9.bin`, retrieveDate });
    await csms.recorder.waitFor(identity, 'BootNotification', (boot) => boot['firmwareVersion'] === '7.8.9', 30_000);
    await csms.recorder.waitFor(identity, 'FirmwareStatusNotification', ({ status }) => status === 'Installed');
    const statuses = csms.recorder
      .calls(identity, 'FirmwareStatusNotification')
      .map(({ payload }) => payload['status']);
    expect(statuses).toEqual(['Downloading', 'Downloaded', 'Installing', 'Installed']);
  });
});
