'use strict';
// A host of eSSP by a public library (npm: encrypted-smiley-secure-protocol), one JSON object a line of what it was
// answered. Arguments: the port, the address, the fixed part of the key, what to have paid in cents (0: take a note; of
// a validator with a payout: once a note is in its store).
const crypto = require('crypto');
// The library wants primes of 16 bits by way of Diffie-Hellman, which OpenSSL 3 no longer makes.
crypto.createDiffieHellman = bits => ({ getPrime: () => Buffer.from(crypto.generatePrimeSync(bits)) });
const SSP = require('encrypted-smiley-secure-protocol');

const [port, address, fixedKey, cents] = process.argv.slice(2);
const host = new SSP({ id: Number(address), timeout: 3000, fixedKey });
const say = (what, info) => console.log(JSON.stringify({ what, info }));
const ask = async (command, args) => say(command, await host.command(command, args));
const leave = async () => {
  await ask('DISABLE');
  host.close();
  process.exit(0);
};

const pay = () => ask('PAYOUT_AMOUNT', { amount: Number(cents), country_code: 'EUR', test: false });

host.on('NOTE_STORED_IN_PAYOUT', async info => { say('NOTE_STORED_IN_PAYOUT', info); await ask('GET_ALL_LEVELS'); await pay(); });
for (const event of ['READ_NOTE', 'CREDIT_NOTE', 'DISPENSING']) host.on(event, info => say(event, info));
for (const event of ['NOTE_STACKED', 'DISPENSED']) host.on(event, info => { say(event, info); setTimeout(leave, 500); });

(async () => {
  await host.open(port);
  // the order of the library's own example: the protocol's version first, and plain
  await ask('SYNC');
  await ask('HOST_PROTOCOL_VERSION', { version: 6 });
  await host.initEncryption();
  say('KEY', { agreed: host.keys.key !== null });
  for (const command of ['GET_SERIAL_NUMBER', 'SETUP_REQUEST', 'GET_FIRMWARE_VERSION', 'GET_DATASET_VERSION'])
    await ask(command);
  if (!Number(address)) for (const command of ['UNIT_DATA', 'CHANNEL_VALUE_REQUEST', 'CHANNEL_SECURITY_DATA']) await ask(command);
  if (Number(cents) && Number(address)) {
    await ask('GET_ALL_LEVELS');
    say('ENABLE', await host.enable());
    await pay();
    return;
  }
  await ask('SET_CHANNEL_INHIBITS', { channels: [1, 1, 1, 1, 1, 1, 1, 1] });
  if (Number(cents)) {
    for (const value of [1000, 2000]) await ask('SET_DENOMINATION_ROUTE', { route: 'payout', value, country_code: 'EUR' });
    await ask('ENABLE_PAYOUT_DEVICE', { REQUIRE_FULL_STARTUP: false, OPTIMISE_FOR_PAYIN_SPEED: false });
  }
  say('ENABLE', await host.enable());
})().catch(error => { console.error(error); process.exit(1); });
