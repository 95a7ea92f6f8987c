/* A knowledge base that is just large enough: one blocking call, one that starts and two that complete, a
 * hook. Written into a folder of its own and loaded from there. */
#ifndef TESTS_TRACEGEN_SMALL_H
#define TESTS_TRACEGEN_SMALL_H

#include "rules/kb.h"
#include "util/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALL_RUNTIME                                                                                        \
    "<runtime title=\"Small\" library=\"libsmall.so*\" begin=\"Open\" prefix=\"P\" header=\"small.h\"/>"

static const char small_xml[] =
    "<traceRules>\n"
    SMALL_RUNTIME "\n"
    "<helper name=\"ws_peer\" meaning=\"world rank\"/>\n"
    "<helper name=\"ws_request\" meaning=\"handle\"/>\n"
    "<helper name=\"ws_received\" meaning=\"bytes\"/>\n"
    "<helper name=\"ws_after_Open\" meaning=\"hook\"/>\n"
    "<helper name=\"ws_before_Close\" meaning=\"hook\"/>\n"
    "<function name=\"Open\"><argument type=\"int\" name=\"mode\"/><retVal type=\"int\"/></function>\n"
    "<function name=\"Close\"><retVal type=\"int\"/></function>\n"
    "<function name=\"Guarded\" guarded=\"yes\"><retVal type=\"void\"/></function>\n"
    "<function name=\"Unnamed\"><retVal type=\"int\"/></function>\n"
    "<function name=\"Send\"><argument type=\"const char *\" name=\"text\"/><argument type=\"int\" "
    "name=\"to\"/>"
    "<retVal type=\"int\"/></function>\n"
    "<function name=\"Isend\"><argument type=\"int\" name=\"to\"/><argument type=\"Request *\" "
    "name=\"request\"/>"
    "<retVal type=\"int\"/></function>\n"
    "<function name=\"Wait\"><argument type=\"Request *\" name=\"request\"/>"
    "<argument type=\"Status *\" name=\"status\" ignore=\"NO_STATUS\"/><retVal type=\"int\"/></function>\n"
    "<function name=\"Waitall\" optional=\"yes\"><argument type=\"int\" name=\"count\"/>"
    "<argument type=\"Request *\" name=\"requests\"/>"
    "<argument type=\"Status *\" name=\"statuses\" ignore=\"NO_STATUSES\" length=\"count\"/>"
    "<retVal type=\"int\"/></function>\n"
    "<function name=\"Tick\"><argument type=\"int\" name=\"to\"/><retVal type=\"void\"/></function>\n"
    "<functionPoint name=\"send\" pattern=\"Send\"><event>"
    "<param name=\"peer\" format=\"rank\" kind=\"out\"><source>ws_peer(to)</source></param>"
    "<param name=\"comm\" format=\"comm\" kind=\"out\"><source>1</source></param>"
    "<number name=\"n\" by=\"peer\"/></event></functionPoint>\n"
    "<functionPoint name=\"send\" pattern=\"Isend\"><event request=\"start\">"
    "<param name=\"peer\" format=\"rank\" kind=\"out\" final=\"source\"><source>ws_peer(to)</source></param>"
    "<param name=\"comm\" format=\"comm\" kind=\"out\"><source>1</source></param>"
    "<param name=\"request\" format=\"request\" kind=\"out\"><source>ws_request(*request)</source></param>"
    "<number name=\"n\" by=\"peer\"/></event></functionPoint>\n"
    "<functionPoint name=\"note\" pattern=\"Send\"><event if=\"text != NULL\">"
    "<param name=\"words\" format=\"string\" kind=\"out\"><source>text</source></param>"
    "<param name=\"far\" format=\"bool\" kind=\"in\"><source>to &gt; 8</source></param>"
    "</event></functionPoint>\n"
    "<functionPoint name=\"done\" pattern=\"Wait\"><event request=\"complete\">"
    "<param name=\"request\" format=\"request\" kind=\"in\"><source>ws_request(*request)</source></param>"
    "<param name=\"source\" format=\"comm_rank\" kind=\"out\"><source>0</source></param>"
    "<param name=\"tag\" format=\"int\" kind=\"out\"><source>0</source></param>"
    "<param name=\"bytes\" format=\"bytes\" kind=\"out\"><source>ws_received(status)</source></param>"
    "<param name=\"cancelled\" format=\"bool\" kind=\"out\"><source>0</source></param>"
    "</event></functionPoint>\n"
    "<functionPoint name=\"done\" pattern=\"Waitall\"><event request=\"complete\" each=\"count\">"
    "<param name=\"request\" format=\"request\" kind=\"in\"><source>ws_request(requests[i])</source></param>"
    "<param name=\"source\" format=\"comm_rank\" kind=\"out\"><source>0</source></param>"
    "<param name=\"tag\" format=\"int\" kind=\"out\"><source>0</source></param>"
    "<param name=\"bytes\" format=\"bytes\" "
    "kind=\"out\"><source>ws_received(&amp;statuses[i])</source></param>"
    "<param name=\"cancelled\" format=\"bool\" kind=\"out\"><source>0</source></param>"
    "</event></functionPoint>\n"
    "<functionPoint name=\"tick\" pattern=\"Tick\"><event>"
    "<param name=\"peer\" format=\"rank\" kind=\"out\"><source>to</source></param></event></functionPoint>\n"
    "</traceRules>\n";

/* Loads the text as the only file of a knowledge base; the folder is gone afterwards. */
static void small_load(struct ws_kb *kb, const char *xml)
{
    char folder[] = "/tmp/whyslow-test-XXXXXX", path[64];
    struct ws_text report = {0};
    struct ws_error error;
    int result;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rules.xml", folder);
    assert_int_equal(ws_file_write(path, xml, strlen(xml), &error), 0);
    result = ws_kb_load(kb, folder, NULL, 0, &report, &error);
    if (result != 0)
        print_error("%s", ws_text_string(&report));
    unlink(path);
    rmdir(folder);
    ws_text_free(&report);
    assert_int_equal(result, 0);
}

#endif
